import { keyMakers } from '../accounts/key-makers.ts';
import { namesOf } from '../accounts/names.ts';
import { assert } from '../core/assert.ts';
import type { Dimension, SliceValue } from '../requests/slice-dimensions.ts';
import { catchUp } from '../requests/rollup-worker.ts';
import { addSums, type SliceSums } from '../requests/usage-group.ts';
import {
  drawnPoints,
  type DrawnSums,
  noSums,
  type SliceLine,
  type SliceOrder,
  type SliceQuery,
  sliceTable,
} from '../requests/usage-slices.ts';
import type { Store } from '../store/store.ts';
import type { UsageSpan } from './usage-points.ts';

/** What usage is shown by: what it is summed up by, and who made its keys. */
export type UsageGrouping = Dimension | 'member';

export interface UsageRequest {
  /** All accounts together, if none is named. */
  readonly accountId: string | undefined;
  readonly by: UsageGrouping;
  readonly order: SliceOrder;
  /** How many lines at most; what they leave is one more. */
  readonly limit: number;
}

export interface NamedUsageLine extends SliceLine {
  /** What people call it, where that is something else. */
  readonly name: string | undefined;
  /** For each point of the span; only of the first few lines. */
  readonly series: readonly DrawnSums[] | undefined;
}

export interface SlicedUsage {
  readonly totals: SliceSums;
  /** For each point of the span. */
  readonly series: readonly SliceSums[];
  readonly lines: readonly NamedUsageLine[];
  /** Whether everything is in it: after an upgrade old requests are still being added for a while. */
  readonly isComplete: boolean;
}

/** As many as can be told apart in a drawing. */
const drawnMax = 5;
/** Members are made of keys; more keys than an hour tells apart there cannot be in any hour. */
const keysMax = 5000;

/** Usage of a span along one dimension. All lines together are the total, to the last digit. */
export async function slicedUsage(store: Store, span: UsageSpan, asked: UsageRequest): Promise<SlicedUsage> {
  const isComplete = await catchUp(store);
  const { accountId, by, order, limit } = asked;
  const query = { accountId, by: by === 'member' ? ('key' as const) : by, from: span.from, to: span.to };
  const terms = { order, limit: by === 'member' ? keysMax : limit, points: span.grouping };
  const { lines: all, totals } = await sliceTable(store, query, terms);
  const series = seriesOf(span, totals);
  const total = series.reduce(together, noSums());
  const found = by === 'member' ? await byMember(store, all, order) : all;
  const lines = found.filter(({ value }) => value.kind !== 'other').slice(0, limit);
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

/** What people call values. */
export async function valueNames(
  store: Store,
  by: UsageGrouping,
  lines: readonly { readonly value: SliceValue }[],
): Promise<ReadonlyMap<string, string>> {
  if (by !== 'key' && by !== 'account') return new Map();
  const ids = lines.flatMap(({ value }) => (value.kind === 'value' ? [value.value] : []));
  return namesOf(store, by === 'key' ? 'api_keys' : 'accounts', [...new Set(ids)]);
}

/** The value, or nothing that any value could be. */
export function nameOf(value: SliceValue): string {
  return value.kind === 'value' ? value.value : `\0${value.kind}`;
}

function seriesOf({ points, pointOf }: UsageSpan, totals: ReadonlyMap<number, SliceSums>): readonly SliceSums[] {
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
  { query, lines }: { readonly query: SliceQuery; readonly lines: readonly SliceLine[] },
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

/** Lines of keys, added up by who made them. */
export async function byMember(
  store: Store,
  keys: readonly SliceLine[],
  order: SliceOrder,
): Promise<readonly SliceLine[]> {
  const ids = keys.flatMap(({ value }) => (value.kind === 'value' ? [value.value] : []));
  const makers = await keyMakers(store, ids);
  const members = new Map<string, { readonly value: SliceValue; readonly sums: SliceSums }>();
  for (const { value, sums } of keys) {
    const maker = value.kind === 'value' ? makers.get(value.value) : undefined;
    const member: SliceValue =
      value.kind === 'value' ? (maker === undefined ? { kind: 'none' } : { kind: 'value', value: maker }) : value;
    const line = members.get(nameOf(member)) ?? { value: member, sums: noSums() };
    addSums(line.sums, sums);
    members.set(nameOf(member), line);
  }
  return [...members.values()].sort((one, other) => (one.sums[order] < other.sums[order] ? 1 : -1));
}

/** What the lines leave of the total, if anything. */
function rest(total: SliceSums, lines: readonly SliceLine[]): readonly NamedUsageLine[] {
  const shown = lines.reduce((sum, line) => together(sum, line.sums), noSums());
  const sums = noSums();
  addSums(sums, total);
  addSums(sums, negative(shown));
  assert(sums.requests >= 0 && sums.cost >= 0n, 'lines are no more than their total');
  return sums.requests === 0 ? [] : [{ value: { kind: 'other' }, sums, name: undefined, series: undefined }];
}

function together(sum: SliceSums, more: SliceSums): SliceSums {
  addSums(sum, more);
  return sum;
}

function negative(sums: SliceSums): SliceSums {
  const turned = Object.entries(sums).map(([name, value]) => [name, -value]);
  return Object.fromEntries(turned) as SliceSums;
}
