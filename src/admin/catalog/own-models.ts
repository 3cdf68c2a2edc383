import { z } from 'zod';
import { dayMs } from '../../core/time/calendar-day.ts';
import { performanceOf } from '../../requests/rollups/performance-spans.ts';
import { constraintSums } from '../../requests/rollups/constraint-sums.ts';
import { accountAt } from '../accounts/accounts.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import {
  measuredDays,
  modelDocument,
  modelFields,
  modelPrices,
  reliabilityDocument,
  reliabilitySchema,
} from './model-documents.ts';
import { ownAccount } from '../api/caller.ts';
import { ownPerformanceDocument, ownPerformanceSchema, ownPerformanceShape } from './performance-documents.ts';

const modelSchema = z.strictObject({
  ...modelFields,
  reliability: reliabilitySchema,
  performance: ownPerformanceSchema,
});
const urlsSchema = z
  .strictObject({ openai: z.string(), anthropic: z.string() })
  .describe('Base URL for clients of each surface.');

const schema = z.strictObject({
  site: z.string().nullable().describe('The site of the domain. Null: there is none, and therefore no models.'),
  base_urls: urlsSchema,
  data: z.array(modelSchema),
});

const reply = {
  name: 'OwnModels',
  schema,
  inside: [
    { name: 'OwnModel', schema: modelSchema, inside: [modelPrices, ownPerformanceShape] },
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
  reply,
  run: async ({ parts, caller, query, address }) => {
    const account = await accountAt(parts, ownAccount(caller));
    const { catalog } = parts.current();
    const now = parts.clock.now();
    const constraints = await constraintSums(parts.store, now - measuredDays * dayMs);
    const performance = await performanceOf(parts.store, now, { modelsOnly: true });
    const site = catalog.siteFor(query.domain ?? address.host);
    const key = {
      keyId: '',
      keyName: '',
      accountId: account.id,
      accountName: account.name,
      packageName: account.packageName,
      models: undefined,
    };
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
