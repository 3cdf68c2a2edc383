import { z } from 'zod';
import { type UsageLine, usageSummary } from '../../requests/rollups/usage-summary.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { invalidField } from '../api/sent-values.ts';
import { ownAccount } from '../api/caller.ts';
import { documentAs, isoTime, moneySchema, periodQuery, timeSchema } from '../api/wire.ts';
import { broken } from '../../core/reasons/reason.ts';

const dayMs = 86_400_000;
const usualDays = 30;
/** A longer span belongs in a report, not on a page that a user waits for. */
const daysMax = 92;
const linesMax = 1000;

const count = z.number();
const lineSchema = z.strictObject({
  name: z.string().describe('A catalog id or a key id. Empty for requests that named an unknown model.'),
  requests: count,
  errors: count,
  prompt_tokens: count,
  cached_tokens: count,
  completion_tokens: count,
  cost: moneySchema,
});
const schema = z.strictObject({ since: timeSchema, until: timeSchema, data: z.array(lineSchema) });

/** `GET /account/v1/usage`. */
export const usageEndpoint: Endpoint = readEndpoint('GET /account/v1/usage', 'getOwnUsage', 'account', {
  summary: `Get your usage by model or by key, busiest first. Default: the last ${usualDays} days. Whole hours are counted.`,
  query: z.strictObject({
    ...periodQuery,
    by: z.enum(['model', 'key']).default('model').describe('Dimension to group by.'),
  }),
  reply: { name: 'Usage', schema },
  run: async ({ parts, caller, query: { by, ...period } }) => {
    const until = period.until ?? parts.clock.now();
    const since = period.since ?? until - usualDays * dayMs;
    if (until - since > daysMax * dayMs)
      throw invalidField('since', broken('span_too_long', { max: `${daysMax} days` }));
    const { lines } = await usageSummary(parts.store, { accountId: ownAccount(caller), from: since, to: until, by });
    const busiest = lines.toSorted((one, other) => other.requests - one.requests).slice(0, linesMax);
    return { since: isoTime(since), until: isoTime(until), data: busiest.map(document) };
  },
});

function document(line: UsageLine): z.input<typeof lineSchema> {
  return documentAs(lineSchema.shape, { ...line, name: line.group });
}
