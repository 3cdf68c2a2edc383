import type { Query } from '../../api/call.ts';
import type { ColumnOrder } from '../../components/data-table.tsx';
import type { FixedTextKey } from '../../text/text.tsx';

/** The filters in the URL. */
export type RequestFilters = Readonly<Partial<Record<FilterName, string>>>;

export const filterNames = [
  'account',
  'upstream',
  'key',
  'model',
  'user_id',
  'tag',
  'member',
  'without',
  'status',
  'error_case',
  'range',
  'since',
  'until',
  'order',
  'live',
] as const;
export type FilterName = (typeof filterNames)[number];

const rangesMs: Readonly<Record<string, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
};

/** The query parameters of the API. A status may be a class (`5xx`), a number or `failed`. A range ends now. */
export function requestQuery(filters: RequestFilters, now: number): Query {
  const { account, upstream, key, model, user_id, tag, member, without, status, error_case } = filters;
  const named = { account, upstream, key, model, user_id, tag, member, without, error_case };
  return { ...named, ...statusQuery(status), ...timeQuery(filters, now) };
}

function statusQuery(status: string | undefined): Query {
  if (status === undefined) return {};
  if (status === 'failed') return { errors_only: true };
  return /^[2-5]xx$/.test(status) ? { status_class: status } : { status };
}

function timeQuery({ range, since, until }: RequestFilters, now: number): Query {
  if (range === 'custom') return { since, until };
  const spanMs = range === undefined ? undefined : rangesMs[range];
  return spanMs === undefined ? {} : { since: new Date(now - spanMs).toISOString() };
}

/** The orders of the list, as in the URL and the API. The first is the default. */
export const orders: readonly (readonly [string, FixedTextKey])[] = [
  ['newest', 'requests.orderNewest'],
  ['oldest', 'requests.orderOldest'],
  ['costliest', 'requests.orderCostliest'],
  ['cheapest', 'requests.orderCheapest'],
  ['slowest', 'requests.orderSlowest'],
  ['fastest', 'requests.orderFastest'],
];

/** The orders of a column: descending, then ascending. */
const columnOrders: Readonly<Record<string, readonly [down: string, up: string]>> = {
  time: ['newest', 'oldest'],
  cost: ['costliest', 'cheapest'],
  duration: ['slowest', 'fastest'],
};

/** The current order of a column, and the setter for a click. */
export function columnOrder(
  key: string,
  order: string | undefined,
  choose: (order: string) => void,
): ColumnOrder | undefined {
  const known = columnOrders[key];
  if (!known) return undefined;
  const [down, up] = known;
  const current = order ?? 'newest';
  const now = current === down ? 'descending' : current === up ? 'ascending' : undefined;
  return { now, choose: () => choose(current === down ? up : down) };
}
