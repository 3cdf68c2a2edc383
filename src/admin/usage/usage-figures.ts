import { keyCreators } from '../../accounts/key-creators.ts';
import { namesOf } from '../../accounts/names.ts';
import { assert } from '../../core/assert.ts';
import { broken } from '../../core/reasons/reason.ts';
import { negated } from '../../requests/rollups/histograms.ts';
import type { Dimension, RollupValue } from '../../requests/rollups/rollup-dimensions.ts';
import { catchUp } from '../../requests/rollups/rollup-worker.ts';
import { addSums, noSums, type RollupSums } from '../../requests/rollups/usage-sums.ts';
import {
  drawnPoints,
  type DrawnSums,
  type RollupLine,
  type RollupOrder,
  type RollupQuery,
  rollupTable,
} from '../../requests/rollups/usage-rollups.ts';
import type { Store } from '../../store/store.ts';
import { invalidField } from '../api/sent-values.ts';
import type { UsageSpan } from './usage-points.ts';

/** A dimension of the rollups, or `member`: the creator of the key. */
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

/** Lines that can be told apart in a chart. */
const drawnMax = 5;
/** Members are added up from keys, and one value is found among all. An hour never distinguishes more of them. */
const keysMax = 5000;

/** Keys, members and users have rollups per account only. A grouping by account needs all accounts. */
export function requireScope(account: string | undefined, by: UsageDimension): void {
  if (account === undefined && ['key', 'member', 'user'].includes(by))
    throw invalidField('by', broken('needs_account'), 'Name one, or group by something else.');
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
  const query = { accountId, by: by === 'member' ? ('key' as const) : by, from: span.from, to: span.to };
  const terms = { order, limit: by === 'member' || value !== undefined ? keysMax : limit, points: span.grouping };
  const { lines: all, totals } = await rollupTable(store, query, terms);
  const series = seriesOf(span, totals);
  const total = series.reduce(addTo, noSums());
  const grouped = by === 'member' ? await byMember(store, all, order) : all;
  const isWanted = (line: RollupLine) => value === undefined || nameOf(line.value) === value;
  const lines = grouped.filter((line) => line.value.kind !== 'other' && isWanted(line)).slice(0, limit);
  const drawn = by === 'member' ? new Map<string, DrawnSums[]>() : await drawnLines(store, span, { query, lines });
  const names = await valueNames(store, by, lines);
  return {
    totals: total,
    series,
    isComplete,
    lines: [
      ...lines.map((line) => ({ ...line, name: names.get(nameOf(line.value)), series: drawn.get(nameOf(line.value)) })),
      ...rest(total, lines),
    ],
  };
}

export async function valueNames(
  store: Store,
  by: UsageDimension,
  lines: readonly { readonly value: RollupValue }[],
): Promise<ReadonlyMap<string, string>> {
  if (by !== 'key' && by !== 'account') return new Map();
  const ids = lines.flatMap(({ value }) => (value.kind === 'value' ? [value.value] : []));
  return namesOf(store, by === 'key' ? 'api_keys' : 'accounts', [...new Set(ids)]);
}

/** A map key: the value, or a text that no value can be. */
export function nameOf(value: RollupValue): string {
  return value.kind === 'value' ? value.value : `\0${value.kind}`;
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
  const only = lines.slice(0, drawnMax).map(({ value }) => value);
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
  const makers = await keyCreators(store, ids);
  const members = new Map<string, { readonly value: RollupValue; readonly sums: RollupSums }>();
  for (const { value, sums } of keys) {
    const maker = value.kind === 'value' ? makers.get(value.value) : undefined;
    const member: RollupValue =
      value.kind === 'value' ? (maker === undefined ? { kind: 'none' } : { kind: 'value', value: maker }) : value;
    const line = members.get(nameOf(member)) ?? { value: member, sums: noSums() };
    addSums(line.sums, sums);
    members.set(nameOf(member), line);
  }
  return [...members.values()].sort((one, other) => (one.sums[order] < other.sums[order] ? 1 : -1));
}

/** The part of the total that the lines do not cover, if any. */
function rest(total: RollupSums, lines: readonly RollupLine[]): readonly NamedUsageLine[] {
  const shown = lines.reduce((sum, line) => addTo(sum, line.sums), noSums());
  const sums = noSums();
  addSums(sums, total);
  addSums(sums, negative(shown));
  assert(sums.requests >= 0 && sums.cost >= 0n, 'lines do not exceed their total');
  return sums.requests === 0 ? [] : [{ value: { kind: 'other' }, sums, name: undefined, series: undefined }];
}

function addTo(sum: RollupSums, more: RollupSums): RollupSums {
  addSums(sum, more);
  return sum;
}

function negative({ histograms, ...sums }: RollupSums): RollupSums {
  const turned = Object.entries(sums).map(([name, value]) => [name, -value]);
  return { ...(Object.fromEntries(turned) as RollupSums), histograms: negated(histograms) };
}
