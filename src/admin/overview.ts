import { z } from 'zod';
import { accountAt } from './accounts.ts';
import { type Endpoint, reading } from './endpoint.ts';
import { overviewOf, topAccounts } from './overview-figures.ts';
import { ownAccount } from './own-account.ts';
import type { AdminParts } from './parts.ts';
import { spanOf, spanQuery } from './span.ts';
import { idSchema, isoTime, moneySchema, timeSchema } from './wire.ts';

const count = z.int();
const mean = z.int().nullable().describe('Null where there is nothing to divide.');

const figures = {
  spend: moneySchema.describe('What the ledger charged in this time.'),
  requests: count,
  errors: count,
  prompt_tokens: count,
  cached_tokens: count.describe('Prompt tokens that came from a cache; they are among `prompt_tokens`.'),
  completion_tokens: count,
  reasoning_tokens: count.describe('They are among `completion_tokens`.'),
  cache_savings: moneySchema.describe(
    'What prompt caches saved: what the same tokens would have cost without them, less what they cost. Less than zero where more was paid for writing to them than was spared by reading.',
  ),
  mean_wait_ms: mean.describe('Time waited for a turn, over all requests.'),
  mean_first_byte_ms: mean.describe('Time to the first byte, over the requests that got one.'),
};

const top = { spend: moneySchema, requests: count, errors: count, prompt_tokens: count, completion_tokens: count };

const fields = {
  since: timeSchema.describe('The beginning of the first hour that counts.'),
  until: timeSchema.describe('The end of the last hour that counts.'),
  interval: z.enum(['hour', 'day']),
  currency: z.string(),
  totals: z.strictObject({
    ...figures,
    unwanted_streams: count.describe('Requests that asked for one JSON body and got a stream.'),
  }),
  series: z
    .array(z.strictObject({ at: timeSchema, ...figures }))
    .describe('A point for every interval, oldest first, also where nothing happened. Days are counted from `since`.'),
  top_models: z.array(z.strictObject({ model: z.string().describe('Empty: none we know.'), ...top })),
  top_keys: z.array(z.strictObject({ id: z.string(), name: z.string().nullable(), ...top })),
  keys_with_unwanted_streams: z
    .array(
      z.strictObject({
        id: z.string(),
        name: z.string().nullable(),
        unwanted_streams: count,
        requests: count,
        honour_stream_false: z.boolean().describe('Whether it gets the one body by now.'),
      }),
    )
    .describe(
      'Keys whose clients ask for one JSON body and get a stream. Those that cannot read it ask again, and each time is charged: set `honour_stream_false` on the key or the site, or have them ask for streams.',
    ),
  errors_by_case: z.array(z.strictObject({ error_case: z.string(), status: z.int().nullable(), requests: count })),
};

const operatorFields = {
  ...fields,
  top_accounts: z.array(z.strictObject({ id: z.string(), name: z.string().nullable(), spend: moneySchema })),
};

/** The figures of an account, or of all, over a span of time. */
export const overviewEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/account/v1/overview',
    operationId: 'getOwnOverview',
    summary: 'What your account used and spent over time.',
    access: 'account',
    query: z.strictObject(spanQuery),
    reply: { name: 'OwnOverview', schema: z.strictObject(fields) },
    run: ({ parts, caller, query }) => overview(parts, query, ownAccount(caller)),
  }),
  reading({
    method: 'GET',
    path: '/admin/v1/overview',
    operationId: 'getOverview',
    summary: 'What an account, or all together, used and spent over time.',
    access: 'read-only',
    query: z.strictObject({ account: idSchema.optional().describe('Only this account.'), ...spanQuery }),
    reply: { name: 'Overview', schema: z.strictObject(operatorFields) },
    run: async ({ parts, query: { account, ...asked } }) => {
      const accountId = account === undefined ? undefined : (await accountAt(parts, account)).id;
      const span = spanOf(asked, parts.clock.now());
      return { ...(await overview(parts, asked, accountId)), top_accounts: await topAccounts(parts, span, accountId) };
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
