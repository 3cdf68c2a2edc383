import { membersOfKeys } from '../../../money/accounts/key-members.ts';
import { emailsOf, namesOf } from '../../../money/accounts/names.ts';
import { assert } from 'chat-formats/assert.ts';
import { broken } from 'chat-formats/reasons/reason.ts';
import { negated } from '../../../money/requests/rollups/histograms.ts';
import {
  type Dimension,
  isPerAccount,
  type RollupValue,
  storedValueOf,
} from '../../../money/requests/rollups/rollup-dimensions.ts';
import { catchUp } from '../../../money/requests/rollups/rollup-worker.ts';
import { addSums, noSums, type RollupSums } from '../../../money/requests/rollups/usage-sums.ts';
import {
  drawnPoints,
  type DrawnSums,
  type RollupLine,
  type RollupOrder,
  type RollupQuery,
  rollupTable,
  rollupTotals,
} from '../../../money/requests/rollups/usage-rollups.ts';
import type { Store } from '../../../platform/store/store.ts';
import { invalidField } from '../api/sent-values.ts';
import type { UsageSpan } from './usage-points.ts';

/** A dimension of the rollups, or `member`: the member for whom the key counts. */
export type UsageDimension = Dimension | 'member';

export interface UsageRequest {
  /** `undefined`: all accounts together. */
  readonly accountId: string | undefined;
  readonly by: UsageDimension;
  readonly order: RollupOrder;
  /** Maximum number of lines. One more line holds the rest. */
  readonly limit: number;
  /** Only the line of this value, and the rest. */
  readonly value?: string | undefined;
}

export interface NamedUsageLine extends RollupLine {
  readonly name: string | undefined;
  /** Name of the value's account, if values of several accounts are listed. */
  readonly accountName?: string | undefined;
  /** One entry per point of the span. Only for the first few lines. */
  readonly series: readonly DrawnSums[] | undefined;
}

export interface UsageByDimension {
  readonly totals: RollupSums;
  /** One entry per point of the span. */
  readonly series: readonly RollupSums[];
  readonly lines: readonly NamedUsageLine[];
  /** False while more requests wait to be added than a reader should wait for. */
  readonly isComplete: boolean;
}

/** Maximum number of lines that a reader can distinguish in a chart. */
const drawnMax = 5;
/** Members are added up from keys, and one value is found among all. An hour never distinguishes more of them. */
const keysMax = 5000;

/** A grouping by account needs all accounts. */
export function requireScope(account: string | undefined, by: UsageDimension): void {
  if (account !== undefined && by === 'account')
    throw invalidField('by', broken('not_with_account'), 'Leave out `account`, or group by something else.');
}

/** The lines add up exactly to the total. */
export async function usageByDimension(
  store: Store,
  span: UsageSpan,
  request: UsageRequest,
): Promise<UsageByDimension> {
  const isComplete = await catchUp(store);
  const { accountId, by, order, limit, value } = request;
  const query = { accountId, by: rollupDimension(by), from: span.from, to: span.to };
  const terms = { order, limit: by === 'member' || value !== undefined ? keysMax : limit, points: span.grouping };
  const { lines: found, totals } = await rollupTable(store, query, terms);
  const series = seriesOf(span, totals);
  const total = series.reduce(addTo, noSums());
  const grouped = by === 'member' ? await byMember(store, found, order) : found;
  const isWanted = (line: RollupLine) =>
    value === undefined || (line.value.kind === 'value' && line.value.value === value);
  const lines = grouped.filter((line) => line.value.kind !== 'other' && isWanted(line)).slice(0, limit);
  const drawn = by === 'member' ? new Map<string, DrawnSums[]>() : await drawnLines(store, span, { query, lines });
  const namesOfLine = await valueNames(store, by, lines);
  // A request counts for each of its tags, so the lines of tags add up to more than the total.
  const all = by === 'tag' ? await rollupTotals(store, query) : total;
  return {
    totals: total,
    series,
    isComplete,
    lines: [
      ...lines.map((line) => ({ ...line, ...namesOfLine(line.value), series: drawn.get(nameOf(line.value)) })),
      ...rest(all, lines),
    ],
  };
}

/** Members are added up from keys. */
export function rollupDimension(by: UsageDimension): Dimension {
  return by === 'member' ? 'key' : by;
}

/** The names of a value and of its account; none of what no longer exists. */
export type ValueNames = (value: RollupValue) => Pick<NamedUsageLine, 'name' | 'accountName'>;

export async function valueNames(
  store: Store,
  by: UsageDimension,
  lines: readonly { readonly value: RollupValue }[],
): Promise<ValueNames> {
  const values = lines.flatMap(({ value }) => (value.kind === 'value' ? [value] : []));
  const accountIds = values.map(({ value, accountId }) => (by === 'account' ? value : (accountId ?? null)));
  const accountNames = await namesOf(store, 'accounts', accountIds);
  const keyIds = by === 'key' ? values.map(({ value }) => value) : [];
  const userIds = by === 'member' ? values.map(({ value }) => value) : [];
  const emails = await emailsOf(store, userIds);
  const names = new Map([...(by === 'account' ? accountNames : await namesOf(store, 'api_keys', keyIds)), ...emails]);
  return (value) => {
    if (value.kind !== 'value') return { name: undefined };
    const { accountId } = value;
    return {
      name: names.get(value.value),
      accountName: accountId === undefined ? undefined : accountNames.get(accountId),
    };
  };
}

/** A map key: no two values have the same. */
export function nameOf(value: RollupValue): string {
  return storedValueOf(value);
}

function seriesOf({ points, pointOf }: UsageSpan, totals: ReadonlyMap<number, RollupSums>): readonly RollupSums[] {
  const series = points.map(() => noSums());
  for (const [group, sums] of totals) {
    const point = series[pointOf(group)];
    if (point) addSums(point, sums);
  }
  return series;
}

async function drawnLines(
  store: Store,
  span: UsageSpan,
  { query, lines }: { readonly query: RollupQuery; readonly lines: readonly RollupLine[] },
): Promise<ReadonlyMap<string, readonly DrawnSums[]>> {
  // Requests without a value are one line, but belong to any number of accounts.
  const only = lines
    .slice(0, drawnMax)
    .map(({ value }) => value)
    .filter(({ kind }) => kind === 'value' || !isPerAccount(query));
  if (only.length === 0) return new Map();
  const drawn = new Map(only.map((value) => [nameOf(value), span.points.map(() => nothingDrawn)]));
  for (const { point, value, sums } of await drawnPoints(store, { ...query, only }, span.grouping)) {
    const series = drawn.get(nameOf(value));
    const at = span.pointOf(point);
    const { cost, requests, errors } = series?.[at] ?? nothingDrawn;
    const more = { cost: cost + sums.cost, requests: requests + sums.requests, errors: errors + sums.errors };
    series?.splice(at, 1, more);
  }
  return drawn;
}

const nothingDrawn: DrawnSums = { cost: 0n, requests: 0, errors: 0 };

export async function byMember(
  store: Store,
  keys: readonly RollupLine[],
  order: RollupOrder,
): Promise<readonly RollupLine[]> {
  const ids = keys.flatMap(({ value }) => (value.kind === 'value' ? [value.value] : []));
  const memberOfKey = await membersOfKeys(store, ids);
  const members = new Map<string, { readonly value: RollupValue; readonly sums: RollupSums }>();
  for (const { value, sums } of keys) {
    const userId = value.kind === 'value' ? memberOfKey.get(value.value) : undefined;
    const member = memberOf(value, userId);
    const line = members.get(nameOf(member)) ?? { value: member, sums: noSums() };
    addSums(line.sums, sums);
    members.set(nameOf(member), line);
  }
  return [...members.values()].sort((one, other) => (one.sums[order] < other.sums[order] ? 1 : -1));
}

function memberOf(key: RollupValue, userId: string | undefined): RollupValue {
  if (key.kind !== 'value') return key;
  return userId === undefined ? { kind: 'none' } : { kind: 'value', value: userId, accountId: key.accountId };
}

/** The part of the total that the lines do not cover, if any. */
function rest(total: RollupSums, lines: readonly RollupLine[]): readonly NamedUsageLine[] {
  const shown = lines.reduce((sum, line) => addTo(sum, line.sums), noSums());
  const sums = noSums();
  addSums(sums, total);
  addSums(sums, negative(shown));
  assert(sums.requests >= 0 && sums.cost >= 0n, 'lines do not exceed their total');
  return sums.requests === 0 && sums.calls === 0
    ? []
    : [{ value: { kind: 'other' }, sums, name: undefined, series: undefined }];
}

function addTo(sum: RollupSums, more: RollupSums): RollupSums {
  addSums(sum, more);
  return sum;
}

function negative({ histograms, ...sums }: RollupSums): RollupSums {
  const turned = Object.entries(sums).map(([name, value]) => [name, -value]);
  return { ...(Object.fromEntries(turned) as RollupSums), histograms: negated(histograms) };
}
