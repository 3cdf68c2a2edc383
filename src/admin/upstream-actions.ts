import { z } from 'zod';
import { knownCurrency, knownPrice, priceFields } from '../catalog/known-prices.ts';
import { knownProviders } from '../upstreams/known-providers.ts';
import { asking, type AdminCall, type Endpoint, reading, writing } from './endpoint.ts';
import type { AdminParts } from './parts.ts';
import { resourceDocument, resourceReply, rowAt, versionedResource } from './resources.ts';
import { refused } from './sent-values.ts';
import { storedResources } from './stored-resources.ts';
import { reason } from '../core/reasons/reason.ts';

const presetSchema = z.strictObject({
  name: z.string().describe('What an upstream writes as `kind`.'),
  title: z.string(),
  base_url: z.string().describe('Where its API lives; with capitals where the address depends on the customer.'),
  environment: z.array(z.string()).describe('Variables that may hold its credential, the usual one first.'),
  fields: z.array(z.string()).describe('Fields it takes besides those of all upstreams.'),
  needs: z.array(z.string()).describe('How to write what it cannot do without.'),
  note: z.string().nullable(),
});

const knownSchema = z.strictObject({
  model: z.string().describe('As the provider lists it.'),
  known_as: z.string().describe('The model whose price it is.'),
  as_of: z.string().describe('The day of the fact. Prices change: check them.'),
  currency: z.string(),
  price: z.record(z.string(), z.string()).describe('For a million tokens, as an entry of the catalog says it.'),
  context_window: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
});

const testSchema = z.strictObject({
  ok: z.boolean(),
  asked: z.enum(['model_list', 'answer', 'nothing']).describe('What the provider was asked for.'),
  status: z.int().nullable().describe('What it answered with; null: nothing.'),
  duration_ms: z.int(),
  models: z.array(z.string()).describe('Chat models that it lists, at most 1000.'),
  known: z.array(knownSchema).describe('What the table that comes with the gateway says of them: suggestions.'),
  error: z.string().nullable().describe('What is wrong and what to do, without secrets.'),
});

const keysSchema = z.strictObject({
  api_keys: z
    .array(z.string().min(1).max(10_000))
    .min(1)
    .max(1000)
    .describe('The new credentials, or references such as `${NAME}` to the environment of the gateway.'),
});

function knownOf(model: string): z.input<typeof knownSchema>[] {
  const known = knownPrice(model);
  if (!known) return [];
  const { as_of, context_window = null, max_output_tokens = null } = known;
  const price = { ...priceFields(known) };
  return [{ model, known_as: known.model, as_of, currency: knownCurrency, price, context_window, max_output_tokens }];
}

/** What can be done with an upstream beyond adding and removing it. */
export const upstreamActionEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/admin/v1/presets',
    operationId: 'listPresets',
    summary: 'The providers that are known by name.',
    access: 'read-only',
    reply: {
      name: 'Presets',
      schema: z.strictObject({ data: z.array(presetSchema) }),
      inside: [{ name: 'Preset', schema: presetSchema }],
    },
    run: async () => ({
      data: knownProviders.map(({ address, environment, fields, needs, note = null, ...preset }) => ({
        ...preset,
        base_url: address,
        environment: [...environment],
        fields: [...fields],
        needs: [...needs],
        note,
      })),
    }),
  }),
  asking({
    method: 'POST',
    path: '/admin/v1/upstreams/:id/test',
    operationId: 'testUpstream',
    summary: 'Ask the provider for its models, or for one token, with the first credential.',
    access: 'operator',
    reply: { name: 'UpstreamTest', schema: testSchema, inside: [{ name: 'KnownModel', schema: knownSchema }] },
    run: async ({ parts, id }) => {
      const result = await parts.test(id);
      if (!result) throw await unusable(parts, id);
      const { ok, asked, status = null, durationMs, models, error = null } = result;
      return {
        ok,
        asked,
        status,
        duration_ms: Math.round(durationMs),
        models: [...models],
        known: models.flatMap(knownOf),
        error,
      };
    },
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/upstreams/:id/keys',
    operationId: 'rotateUpstreamKeys',
    versioned: versionedResource('upstream'),
    summary: 'Give an added upstream other credentials. Running answers finish with the old ones.',
    access: 'operator',
    body: { name: 'UpstreamKeys', schema: keysSchema },
    reply: resourceReply,
    run: async ({ parts, id, body }) => {
      const before = await rowAt(parts, 'upstream', id);
      const after = await storedResources(parts).rotateKey(before.name, body.api_keys);
      return changed(id, before, after);
    },
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/upstreams/:id/disable',
    operationId: 'disableUpstream',
    versioned: versionedResource('upstream'),
    summary: 'Send an added upstream no more requests; running answers finish.',
    access: 'operator',
    reply: resourceReply,
    run: (call) => switched(call, false),
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/upstreams/:id/enable',
    operationId: 'enableUpstream',
    versioned: versionedResource('upstream'),
    summary: 'Send an added upstream requests again.',
    access: 'operator',
    reply: resourceReply,
    run: (call) => switched(call, true),
  }),
];

/** An entry that nothing can be asked of is there, or it is not. */
async function unusable(parts: AdminParts, id: string): Promise<Error> {
  await rowAt(parts, 'upstream', id);
  return refused(reason('upstream_unusable'));
}

async function switched<Query, Body>({ parts, id }: AdminCall<Query, Body>, isEnabled: boolean) {
  const before = await rowAt(parts, 'upstream', id);
  const outcome = changed(id, before, await storedResources(parts).setEnabled(before.name, isEnabled));
  const wasEnabled = before.spec.enabled !== false;
  return wasEnabled === isEnabled ? { reply: outcome.reply } : outcome;
}

type UpstreamResourceRow = Parameters<typeof resourceDocument>[0];

function changed(id: string, before: UpstreamResourceRow, after: UpstreamResourceRow) {
  const reply = resourceDocument(after);
  return { reply, change: { kind: 'upstream', id, before: resourceDocument(before), after: reply } };
}
