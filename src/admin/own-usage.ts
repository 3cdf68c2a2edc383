import { z } from 'zod';
import { decimalText } from '../core/money.ts';
import { type Endpoint, reading } from './endpoint.ts';
import { refused } from './sent-values.ts';
import type { AdminCaller } from './caller.ts';
import { type UsageLine, usageFromRequests } from './usage-summary.ts';
import { isoTime, moneySchema, periodQuery, timeSchema } from './wire.ts';

const dayMs = 86_400_000;
const usualDays = 30;
/** Adding up more than that belongs into a report, not into a page that someone waits for. */
const daysMax = 92;

const count = z.number();
const lineSchema = z.strictObject({
  name: z.string().describe('A catalog id or the id of a key; empty for requests that named no model there is.'),
  requests: count,
  errors: count,
  prompt_tokens: count,
  cached_tokens: count,
  completion_tokens: count,
  cost: moneySchema.nullable(),
});
const schema = z.strictObject({ since: timeSchema, until: timeSchema, data: z.array(lineSchema) });

/** `GET /account/v1/usage`. */
export function usageEndpoint(ownAccount: (caller: AdminCaller) => string): Endpoint {
  return reading({
    method: 'GET',
    path: '/account/v1/usage',
    operationId: 'getOwnUsage',
    summary: `What you used, by model or by key: in the last ${usualDays} days unless you say otherwise.`,
    access: 'account',
    query: z.strictObject({
      ...periodQuery,
      by: z.enum(['model', 'key']).default('model').describe('What to add up.'),
    }),
    reply: { name: 'Usage', schema },
    run: async ({ parts, caller, query: { by, ...period } }) => {
      const until = period.until ?? parts.clock.now();
      const since = period.since ?? until - usualDays * dayMs;
      if (until - since > daysMax * dayMs) throw refused(`\`since\` is more than ${daysMax} days before \`until\`.`);
      const lines = await usageFromRequests(parts.store, { accountId: ownAccount(caller), since, until, by });
      return { since: isoTime(since), until: isoTime(until), data: lines.map(document) };
    },
  });
}

function document(line: UsageLine): z.input<typeof lineSchema> {
  return {
    name: line.name,
    requests: line.requests,
    errors: line.errors,
    prompt_tokens: line.promptTokens,
    cached_tokens: line.cachedTokens,
    completion_tokens: line.completionTokens,
    cost: line.cost === undefined ? null : decimalText(line.cost),
  };
}
