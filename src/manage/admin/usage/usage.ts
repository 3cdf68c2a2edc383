import { z } from 'zod';
import { accounts } from '../../../money/accounts/accounts.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { ownAccount } from '../api/caller.ts';
import type { AdminParts } from '../parts.ts';
import { missing, invalidField } from '../api/sent-values.ts';
import {
  linesQuery,
  orders,
  topQuery,
  ownUsageDocument,
  ownUsageReply,
  usageDocumentOf,
  usageReply,
  operatorFiguresOf,
  ownFiguresOf,
} from './usage-documents.ts';
import {
  byMember,
  nameOf,
  requireScope,
  rollupDimension,
  type UsageDimension,
  type UsageRequest,
  type ValueNames,
  valueNames,
} from './usage-figures.ts';
import { pointsQuery, usageSpan, type UsagePoint, type UsageSpan } from './usage-points.ts';
import { idSchema, isoTime, moneySchema, periodQuery, timeSchema } from '../api/wire.ts';
import { csvReply, csvLine, escapeFormula } from '../api/csv.ts';
import { broken } from 'chat-formats/reasons/reason.ts';
import { decimalText } from '../../../core/money.ts';
import { hourOf } from '../../../core/time/calendar-day.ts';
import { catchUp } from '../../../money/requests/rollups/rollup-worker.ts';
import { isPerAccount, plainNameOf, type RollupValue } from '../../../money/requests/rollups/rollup-dimensions.ts';
import { addSums, noSums, type RollupSums } from '../../../money/requests/rollups/usage-sums.ts';
import { type RollupLine, rollupPoints, rollupTable } from '../../../money/requests/rollups/usage-rollups.ts';

const memberText =
  '`member`: the member for whom the key counts, by user id. `user`: the `user_id` that clients send. `tag`: a request counts for each of its tags.';

const ownBy = z
  .enum(['model', 'key', 'member', 'user', 'tag', 'status', 'error'])
  .default('model')
  .describe(`Dimension to group by. ${memberText}`);

const by = z
  .enum(['account', 'model', 'key', 'member', 'user', 'tag', 'upstream', 'status', 'error'])
  .default('account')
  .describe(
    `Dimension to group by. ${memberText} Without an \`account\`, keys, members, users and tags are listed for each account.`,
  );

const account = idSchema.optional().describe('Only this account, by id or name.');

export const usageEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/usage/breakdown', 'getOwnUsageBreakdown', 'account', {
    summary: 'Get the usage of your account over time, by one dimension.',
    query: z.strictObject({ by: ownBy, ...linesQuery, ...pointsQuery }),
    reply: ownUsageReply,
    run: ({ parts, caller, query: { by: grouping, order, limit, value, ...span } }) =>
      ownUsageDocument(
        parts,
        { accountId: ownAccount(caller), by: grouping, order: orders[order], limit, value },
        span,
      ),
  }),
  readEndpoint('GET /account/v1/usage/breakdown.csv', 'exportOwnUsageBreakdown', 'account', {
    summary: 'Export the usage of your account over time as CSV, with a row for every value and point.',
    query: z.strictObject({ by: ownBy, ...pointsQuery }),
    ...csvReply('UsageTable', 'usage.csv'),
    run: async ({ parts, caller, query: { by: grouping, ...span } }) =>
      usageCsv(parts, {
        request: { accountId: ownAccount(caller), by: grouping },
        span: usageSpan(span, parts.clock.now()),
        figuresOf: ownFiguresOf,
      }),
  }),
  readEndpoint('GET /admin/v1/usage', 'getUsage', 'read-only', {
    summary: 'Get usage and provider cost over time, by one dimension, of one account or of all.',
    query: z.strictObject({ account, by, ...linesQuery, ...topQuery, ...pointsQuery }),
    reply: usageReply,
    run: async ({ parts, query: { account: named, by: grouping, order, limit, value, top, ...span } }) => {
      const accountId = await accountOf(parts, named, grouping);
      return usageDocumentOf(parts, { accountId, by: grouping, order: orders[order], limit, value, top }, span);
    },
  }),
  readEndpoint('GET /admin/v1/usage.csv', 'exportUsage', 'read-only', {
    summary: 'Export usage and provider cost over time as CSV, with a row for every value and point.',
    query: z.strictObject({ account, by, ...pointsQuery }),
    ...csvReply('OperatorUsageTable', 'usage.csv'),
    run: async ({ parts, query: { account: named, by: grouping, ...span } }) => {
      const accountId = await accountOf(parts, named, grouping);
      return usageCsv(parts, {
        request: { accountId, by: grouping },
        span: usageSpan(span, parts.clock.now()),
        figuresOf: operatorFiguresOf,
      });
    },
  }),
];

async function accountOf(
  parts: AdminParts,
  account: string | undefined,
  grouping: UsageDimension,
): Promise<string | undefined> {
  requireScope(account, grouping);
  if (account === undefined) return undefined;
  const match = await accounts(parts.store, parts.clock).find(account);
  if (!match) throw missing('account');
  return match.id;
}

const dayMs = 86_400_000;
const usualDays = 30;
/** A longer span belongs in a report, not on a page that a user waits for. */
const daysMax = 92;
const linesMax = 1000;

const count = z.number();
const lineSchema = z.strictObject({
  name: z
    .string()
    .describe(
      'A catalog id or a key id. Empty for requests that named an unknown model. `(other)` for values beyond the limit of an hour.',
    ),
  requests: count,
  errors: count,
  prompt_tokens: count,
  cached_tokens: count,
  completion_tokens: count,
  cost: moneySchema,
});
const schema = z.strictObject({ since: timeSchema, until: timeSchema, data: z.array(lineSchema) });

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
    await catchUp(parts.store);
    const query = { accountId: ownAccount(caller), by, from: hourOf(since), to: until };
    const { lines } = await rollupTable(parts.store, query, busiest);
    return { since: isoTime(since), until: isoTime(until), data: lines.map(document) };
  },
});

const busiest = { limit: linesMax, order: 'requests', points: { interval: 'hour' } } as const;

function document({ value, sums }: RollupLine): z.input<typeof lineSchema> {
  const { requests, errors, prompt_tokens, cached_tokens, completion_tokens, cost } = sums;
  const counts = { requests, errors, prompt_tokens, cached_tokens, completion_tokens };
  return { name: plainNameOf(value), ...counts, cost: decimalText(cost) };
}

/** Maximum number of points in memory, for any table size and reading speed. */
const pointsPerRead = 24;

interface UsageTable {
  readonly request: Pick<UsageRequest, 'accountId' | 'by'>;
  readonly span: UsageSpan;
  readonly figuresOf: typeof ownFiguresOf;
}

/** One row for each value and point with usage, oldest first, as pieces of RFC 4180 CSV. */
async function* usageCsv(parts: AdminParts, table: UsageTable): AsyncGenerator<string> {
  const { span, request, figuresOf } = table;
  await catchUp(parts.store);
  const columns = Object.keys(figuresOf(noSums()));
  const hasAccounts = isPerAccount({ ...request, by: rollupDimension(request.by) });
  const hasCalls = request.by === 'upstream';
  const more = [...(hasAccounts ? ['account_id', 'account'] : []), ...(hasCalls ? ['calls', 'failed_calls'] : [])];
  let text = `${csvLine(['from', 'until', request.by, 'kind', 'name', ...more, ...columns, 'currency'])}\r\n`;
  for (let first = 0; first < span.points.length; first += pointsPerRead) {
    const points = span.points.slice(first, first + pointsPerRead);
    for (const { point, lines, namesOfValue } of await linesWithin(parts, table, points)) {
      const times = [isoTime(point.at), isoTime(point.until)];
      for (const { value, sums } of lines) {
        const { name = '', accountName = '' } = namesOfValue(value);
        const named = value.kind === 'value' ? value : { value: '', accountId: undefined };
        const account = hasAccounts ? [named.accountId ?? '', escapeFormula(accountName)] : [];
        const calls = hasCalls ? [String(sums.calls), String(sums.failed_calls)] : [];
        const figures = Object.values(figuresOf(sums)).map((figure) => String(figure ?? ''));
        const fields = [escapeFormula(named.value), value.kind, escapeFormula(name), ...account, ...calls, ...figures];
        text += `${csvLine([...times, ...fields, parts.currency()])}\r\n`;
      }
    }
    yield text;
    text = '';
  }
}

interface PointLines {
  readonly point: UsagePoint;
  readonly lines: readonly RollupLine[];
  readonly namesOfValue: ValueNames;
}

async function linesWithin(
  { store }: AdminParts,
  { request: { accountId, by }, span }: UsageTable,
  points: readonly UsagePoint[],
): Promise<readonly PointLines[]> {
  const [from, to] = [points[0]?.at ?? span.from, points.at(-1)?.until ?? span.to];
  const query = { accountId, by: rollupDimension(by), from, to };
  const found = await rollupPoints(store, query, span.grouping);
  const lines = new Map<number, Map<string, { readonly value: RollupValue; readonly sums: RollupSums }>>();
  for (const { point, value, sums } of found) {
    const index = span.pointOf(point);
    const atPoint = lines.get(index) ?? new Map();
    const line = atPoint.get(nameOf(value)) ?? { value, sums: noSums() };
    addSums(line.sums, sums);
    lines.set(index, atPoint.set(nameOf(value), line));
  }
  const ofPoints: PointLines[] = [];
  for (const [index, atPoint] of [...lines].sort(([one], [other]) => one - other)) {
    const point = span.points[index];
    const values = [...atPoint.values()];
    const members = by === 'member' ? await byMember(store, values, 'cost') : values;
    if (point) ofPoints.push({ point, namesOfValue: await valueNames(store, by, members), lines: members });
  }
  return ofPoints;
}
