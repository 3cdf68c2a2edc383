import { z } from 'zod';
import { dayMs } from '../../../core/time/calendar-day.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { type CallSums, callSums } from '../../../money/requests/rollups/call-sums.ts';
import { performanceOf, type Performances } from '../../../money/requests/rollups/performance-spans.ts';
import { constraintSums } from '../../../money/requests/rollups/constraint-sums.ts';
import type { UpstreamReport } from '../../../serving/routing/upstream-report.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import {
  callsDocument,
  callsSchema,
  measuredDays,
  modelDocument,
  modelFields,
  modelPrices,
  constraintsDocument,
  constraintResults,
  constraintsSchema,
  toolCalls,
  reliabilityDocument,
  reliabilitySchema,
} from './model-documents.ts';
import {
  performanceDocument,
  performanceSchema,
  performanceShape,
  ownPerformanceDocument,
  ownPerformanceSchema,
  ownPerformanceShape,
} from './performance-documents.ts';
import { credentialStates, upstreamState } from '../system/live.ts';
import { documentAs } from '../api/wire.ts';
import { accountAt } from '../accounts/accounts.ts';
import { ownAccount } from '../api/caller.ts';

const routeSchema = z.strictObject({
  upstream: z.string(),
  model: z.string().describe('Name of the model at the provider.'),
  priority: z.int().describe('The lowest number is tried first.'),
  weight: z.int().describe('Share among routes of the same priority.'),
  state: z
    .enum(credentialStates)
    .nullable()
    .describe('State of its best credential. Null: the upstream is not in use here.'),
  running: z.int(),
  waiting: z.int(),
  limit: z.int(),
  performance: performanceSchema.describe(
    'Performance of the upstream with this provider model, for all catalog models that use it. Measured per attempt, from when it was sent.',
  ),
});

const modelSchema = z.strictObject({
  ...modelFields,
  tool_calls: callsSchema,
  constraints: constraintsSchema,
  performance: performanceSchema.describe(
    'Performance as clients saw it, over all routes, in the last 24 hours, 7 days and 30 days.',
  ),
  routes: z.array(routeSchema),
});
const schema = z.strictObject({ data: z.array(modelSchema) });

export const catalogModelEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/catalog/models', 'viewModels', 'read-only', {
    summary: 'List the models in use, with their routes and the state of these in the process that answers.',
    reply: {
      name: 'CatalogModels',
      schema,
      inside: [
        {
          name: 'CatalogModel',
          schema: modelSchema,
          inside: [modelPrices, toolCalls, constraintResults, performanceShape],
        },
      ],
    },
    run: async ({ parts }) => {
      const calls = await callSums(parts.store);
      const now = parts.clock.now();
      const constraints = await constraintSums(parts.store, now - measuredDays * dayMs);
      const performance = await performanceOf(parts.store, now);
      const health = new Map(parts.upstreams.report().map((upstream) => [upstream.name, upstream]));
      return {
        data: parts
          .current()
          .catalog.all()
          .map((model) => document(model, { calls, constraints, performance, health })),
      };
    },
  }),
];

interface ModelHealth {
  readonly calls: ReadonlyMap<string, CallSums>;
  readonly constraints: Awaited<ReturnType<typeof constraintSums>>;
  readonly performance: Performances;
  readonly health: ReadonlyMap<string, UpstreamReport>;
}

function document(model: Model, { calls, constraints, performance, health }: ModelHealth): z.input<typeof modelSchema> {
  return {
    ...modelDocument(model),
    tool_calls: callsDocument(calls.get(model.id)),
    constraints: constraintsDocument(constraints.get(model.id) ?? new Map()),
    performance: performanceDocument(performance.model(model.id)),
    routes: model.routes.map((route) => {
      const upstream = health.get(route.upstream);
      const { running = 0, waiting = 0, limit = 0 } = upstream ?? {};
      return documentAs(routeSchema.shape, {
        ...route,
        state: upstream && upstreamState(upstream.credentials),
        running,
        waiting,
        limit,
        performance: performanceDocument(performance.route(route.upstream, route.model)),
      });
    }),
  };
}

const ownModelSchema = z.strictObject({
  ...modelFields,
  reliability: reliabilitySchema,
  performance: ownPerformanceSchema,
});
const urlsSchema = z
  .strictObject({ openai: z.string(), anthropic: z.string() })
  .describe('Base URL for clients of each surface.');

const ownModelsSchema = z.strictObject({
  site: z.string().nullable().describe('The site of the domain. Null: there is none, and therefore no models.'),
  base_urls: urlsSchema,
  data: z.array(ownModelSchema),
});

const ownModelsReply = {
  name: 'OwnModels',
  schema: ownModelsSchema,
  inside: [
    { name: 'OwnModel', schema: ownModelSchema, inside: [modelPrices, ownPerformanceShape] },
    { name: 'BaseUrls', schema: urlsSchema },
  ],
};

/** `GET /account/v1/models`: the models that a key of the account without own limits could call. */
export const ownModelsEndpoint: Endpoint = readEndpoint('GET /account/v1/models', 'listOwnModels', 'account', {
  summary: 'List the models that your account can call on a domain, with prices.',
  query: z.strictObject({
    domain: z
      .string()
      .min(1)
      .max(260)
      .optional()
      .describe('As in the `Host` header. Default: the domain of this request.'),
  }),
  reply: ownModelsReply,
  run: async ({ parts, caller, query, address }) => {
    const account = await accountAt(parts, ownAccount(caller));
    const { catalog } = parts.current();
    const now = parts.clock.now();
    const constraints = await constraintSums(parts.store, now - measuredDays * dayMs);
    const performance = await performanceOf(parts.store, now, { modelsOnly: true });
    const site = catalog.siteFor(query.domain ?? address.host);
    const { id: accountId, name: accountName, packageName } = account;
    const key = { keyId: '', keyName: '', accountId, accountName, packageName, models: undefined };
    return {
      site: site ?? null,
      base_urls: { openai: `${address.url}/v1`, anthropic: `${address.url}${parts.messagesPrefix()}` },
      data: catalog.visible({ key, site: site ?? '' }).map((model) => ({
        ...modelDocument(model),
        reliability: reliabilityDocument(constraints.get(model.id) ?? new Map()),
        performance: ownPerformanceDocument(performance.model(model.id)),
      })),
    };
  },
});
