import { z } from 'zod';
import { knownCurrency, knownPrice, priceFields } from '../../../money/catalog/known-prices.ts';
import { knownProviders } from '../../../serving/upstreams/providers/presets.ts';
import { actionEndpoint, type AdminCall, type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import type { AdminParts } from '../parts.ts';
import { requireReferenceRight, resourceDocument, resourceReply, rowAt, versionedResource } from './resources.ts';
import { refused } from '../api/sent-values.ts';
import { documentAs } from '../api/wire.ts';
import { storedResources } from '../api/stored-resources.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

const presetSchema = z.strictObject({
  name: z.string().describe('The `kind` of an upstream.'),
  title: z.string(),
  base_url: z.string().describe('Base URL of its API. Capitals mark parts that depend on the customer.'),
  environment: z.array(z.string()).describe('Environment variables that may hold its credential, the usual one first.'),
  fields: z.array(z.string()).describe('Fields in addition to those of all upstreams.'),
  needs: z.array(z.string()).describe('Required settings, as they are written.'),
  note: z.string().nullable(),
});

const knownSchema = z.strictObject({
  model: z.string().describe('As the provider lists it.'),
  known_as: z.string().describe('The model whose price is given.'),
  as_of: z.string().describe('Date of the price. Prices change: check them.'),
  currency: z.string(),
  price: z.record(z.string(), z.string()).describe('Per million tokens, as in a catalog entry.'),
  tiers: z
    .array(z.record(z.string(), z.unknown()))
    .describe('Prices of long prompts, as `price.tiers` of a catalog entry.'),
  context_window: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
});

const testSchema = z.strictObject({
  ok: z.boolean(),
  asked: z.enum(['model_list', 'answer', 'nothing']).describe('The probe that was sent to the provider.'),
  status: z.int().nullable().describe('HTTP status of the provider. Null: no response.'),
  duration_ms: z.int(),
  models: z.array(z.string()).describe('Chat models that the provider lists, at most 1000.'),
  known: z
    .array(knownSchema)
    .describe('Suggested prices and limits for them, from the table that comes with the gateway.'),
  error: z.string().nullable().describe('The error and what to do, without secrets.'),
});

const keysSchema = z.strictObject({
  api_keys: z
    .array(z.string().min(1).max(10_000))
    .min(1)
    .max(1000)
    .describe(
      'The new credentials, or, for owners, references such as `${NAME}` to environment variables of the gateway.',
    ),
});

function knownOf(model: string): z.input<typeof knownSchema>[] {
  const known = knownPrice(model);
  if (!known) return [];
  const { as_of, tiers = [], context_window = null, max_output_tokens = null } = known;
  const limits = { context_window, max_output_tokens };
  const prices = { price: { ...priceFields(known) }, tiers: tiers.map((tier) => ({ ...tier })) };
  return [{ model, known_as: known.model, as_of, currency: knownCurrency, ...prices, ...limits }];
}

export const upstreamActionEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/presets', 'listPresets', 'read-only', {
    summary: 'List the providers that are known by name.',
    reply: {
      name: 'Presets',
      schema: z.strictObject({ data: z.array(presetSchema) }),
      inside: [{ name: 'Preset', schema: presetSchema }],
    },
    run: async () => ({
      data: knownProviders.map((provider) =>
        documentAs(presetSchema.shape, { ...provider, baseUrl: provider.address }),
      ),
    }),
  }),
  actionEndpoint('POST /admin/v1/upstreams/:id/test', 'testUpstream', 'operator', {
    summary: 'Test an upstream: ask the provider for its models, or for one token, with the first credential.',
    reply: { name: 'UpstreamTest', schema: testSchema, inside: [{ name: 'KnownModel', schema: knownSchema }] },
    run: async ({ parts, id }) => {
      const result = await parts.test(id);
      if (!result) throw await unusable(parts, id);
      const [durationMs, known] = [Math.round(result.durationMs), result.models.flatMap(knownOf)];
      return documentAs(testSchema.shape, { ...result, durationMs, known });
    },
  }),
  writeEndpoint('POST /admin/v1/upstreams/:id/keys', 'rotateUpstreamKeys', 'operator', {
    versioned: versionedResource('upstream'),
    summary: 'Replace the credentials of an added upstream. Running answers finish with the old ones.',
    body: { name: 'UpstreamKeys', schema: keysSchema },
    reply: resourceReply,
    run: async ({ parts, caller, id, body }) => {
      requireReferenceRight(caller, { ...body });
      const before = await rowAt(parts, 'upstream', id);
      const after = await storedResources(parts).rotateKey(before.name, body.api_keys);
      return changed(id, before, after);
    },
  }),
  writeEndpoint('POST /admin/v1/upstreams/:id/disable', 'disableUpstream', 'operator', {
    versioned: versionedResource('upstream'),
    summary: 'Disable an added upstream: send it no more requests. Running answers finish.',
    reply: resourceReply,
    run: (call) => setEnabled(call, false),
  }),
  writeEndpoint('POST /admin/v1/upstreams/:id/enable', 'enableUpstream', 'operator', {
    versioned: versionedResource('upstream'),
    summary: 'Enable an added upstream: send it requests again.',
    reply: resourceReply,
    run: (call) => setEnabled(call, true),
  }),
];

/** The error for an upstream that cannot be tested: it does not exist, or it is not usable. */
async function unusable(parts: AdminParts, id: string): Promise<Error> {
  await rowAt(parts, 'upstream', id);
  return refused(reason('upstream_unusable'));
}

async function setEnabled<Query, Body>({ parts, id }: AdminCall<Query, Body>, isEnabled: boolean) {
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
