import { z } from 'zod';
import { accountAt } from '../accounts/accounts.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { overviewOf, topAccounts } from './overview-figures.ts';
import { ownAccount } from '../api/caller.ts';
import type { AdminParts } from '../parts.ts';
import { spanOf, spanQuery } from '../api/span.ts';
import { idSchema, isoTime, moneySchema, timeSchema } from '../api/wire.ts';

const count = z.int();
const mean = z.int().nullable().describe('Null if there is nothing to average.');

const figures = {
  spend: moneySchema.describe('Amount charged in this time, from the ledger.'),
  requests: count,
  errors: count,
  prompt_tokens: count,
  cached_tokens: count.describe('Prompt tokens read from a cache. Included in `prompt_tokens`.'),
  completion_tokens: count,
  reasoning_tokens: count.describe('Included in `completion_tokens`.'),
  cache_savings: moneySchema.describe(
    'Savings by prompt caches: the cost of the same tokens without caches, minus their actual cost. Negative if writing to caches cost more than reading saved.',
  ),
  mean_wait_ms: mean.describe('Mean time in the queue, over all requests.'),
  mean_first_byte_ms: mean.describe('Mean time to the first byte, over the requests that got one.'),
};

const top = { spend: moneySchema, requests: count, errors: count, prompt_tokens: count, completion_tokens: count };

const fields = {
  since: timeSchema.describe('Start of the first hour included.'),
  until: timeSchema.describe('End of the last hour included.'),
  interval: z.enum(['hour', 'day']),
  currency: z.string(),
  totals: z.strictObject({
    ...figures,
    unwanted_streams: count.describe('Requests that asked for one JSON body and got a stream.'),
  }),
  series: z
    .array(z.strictObject({ at: timeSchema, ...figures }))
    .describe('One point per interval, oldest first, including empty ones. Days are counted from `since`.'),
  top_models: z.array(z.strictObject({ model: z.string().describe('Empty: no known model.'), ...top })),
  top_keys: z.array(z.strictObject({ id: z.string(), name: z.string().nullable(), ...top })),
  keys_with_unwanted_streams: z
    .array(
      z.strictObject({
        id: z.string(),
        name: z.string().nullable(),
        unwanted_streams: count,
        requests: count,
        honour_stream_false: z.boolean().describe('Whether it gets the JSON body now.'),
      }),
    )
    .describe(
      'Keys whose clients ask for one JSON body and get a stream. Clients that cannot read the stream retry, and every retry is charged. Set `honour_stream_false` on the key or the site, or change the clients to request streams.',
    ),
  errors_by_case: z.array(z.strictObject({ error_case: z.string(), status: z.int().nullable(), requests: count })),
};

const operatorFields = {
  ...fields,
  top_accounts: z.array(z.strictObject({ id: z.string(), name: z.string().nullable(), spend: moneySchema })),
};

/** Usage and spend over time, of one account or of all. */
export const overviewEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/overview', 'getOwnOverview', 'account', {
    summary: 'Get usage and spend of your account over time.',
    query: z.strictObject(spanQuery),
    reply: { name: 'OwnOverview', schema: z.strictObject(fields) },
    run: ({ parts, caller, query }) => overview(parts, query, ownAccount(caller)),
  }),
  readEndpoint('GET /admin/v1/overview', 'getOverview', 'read-only', {
    summary: 'Get usage and spend over time, of one account or of all.',
    query: z.strictObject({ account: idSchema.optional().describe('Only this account.'), ...spanQuery }),
    reply: { name: 'Overview', schema: z.strictObject(operatorFields) },
    run: async ({ parts, query: { account, ...spanParameters } }) => {
      const accountId = account === undefined ? undefined : (await accountAt(parts, account)).id;
      const span = spanOf(spanParameters, parts.clock.now());
      return {
        ...(await overview(parts, spanParameters, accountId)),
        top_accounts: await topAccounts(parts, span, accountId),
      };
    },
  }),
];

async function overview(
  parts: AdminParts,
  query: z.output<z.ZodObject<typeof spanQuery>>,
  accountId: string | undefined,
) {
  const span = spanOf(query, parts.clock.now());
  return {
    since: isoTime(span.from),
    until: isoTime(span.to),
    interval: query.interval,
    currency: parts.currency(),
    ...(await overviewOf(parts, span, accountId)),
  };
}
