import type { Query } from '../../api/call.ts';

/** The filters in the URL. */
export type RequestFilters = Readonly<Partial<Record<FilterName, string>>>;

export const filterNames = [
  'account',
  'upstream',
  'key',
  'model',
  'user_id',
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
  const { account, upstream, key, model, user_id, member, without, status, error_case } = filters;
  const named = { account, upstream, key, model, user_id, member, without, error_case };
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
