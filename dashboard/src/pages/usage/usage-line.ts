import type { OperatorUsage, UsageByDimension } from '../../api/wire.ts';
import { caseName } from '../../components/names.ts';
import type { FixedTextKey, Translate } from '../../text/text.tsx';
import type { Grouping } from './scope.ts';

/** A row of either API. */
export type UsageLine = UsageByDimension['lines'][number] & Partial<OperatorUsage['lines'][number]>;
export type Usage = Omit<UsageByDimension, 'lines' | 'totals' | 'previous' | 'series'> & {
  readonly lines: readonly UsageLine[];
  readonly totals: UsageByDimension['totals'] & Partial<OperatorUsage['totals']>;
  readonly previous: (UsageByDimension['totals'] & Partial<OperatorUsage['totals']>) | null;
  readonly series: readonly (UsageByDimension['series'][number] & Partial<OperatorUsage['series'][number]>)[];
};

/** The filter of the list of requests for each grouping. */
const names: Readonly<Record<Grouping, string>> = {
  account: 'account',
  model: 'model',
  key: 'key',
  member: 'member',
  user: 'user_id',
  upstream: 'upstream',
  status: 'status',
  error: 'error_case',
};

/** The filters that can also select requests without a value. */
const absent: ReadonlySet<string> = new Set(['model', 'user_id', 'upstream', 'error_case']);

/** The filter for exactly the requests of a row. Undefined if the list has no such filter. */
export function lineFilter(
  by: Grouping,
  { kind, value, name }: Pick<UsageLine, 'kind' | 'value' | 'name'>,
): Readonly<Record<string, string>> | undefined {
  const filter = names[by];
  if (kind === 'none' && absent.has(filter)) return { without: filter };
  if (kind !== 'value' || value === null || value === '') return undefined;
  return { [filter]: by === 'account' ? (name ?? value) : value };
}

/** The filter for all requests of the time range. */
export function spanFilter(
  { since, until }: Pick<Usage, 'since' | 'until'>,
  account: string | undefined,
): Readonly<Record<string, string>> {
  return { range: 'custom', since, until, ...(account !== undefined && { account }) };
}

export const groupingWords: Readonly<Record<Grouping, FixedTextKey>> = {
  account: 'usage.byAccount',
  model: 'usage.byModel',
  key: 'usage.byKey',
  member: 'usage.byMember',
  user: 'usage.byUser',
  upstream: 'usage.byUpstream',
  status: 'usage.byStatus',
  error: 'usage.byError',
};

/** The labels of rows without a value. */
const noneWords: Readonly<Record<Grouping, FixedTextKey>> = {
  account: 'usage.other',
  model: 'usage.noModel',
  key: 'usage.other',
  member: 'usage.noMember',
  user: 'usage.noUser',
  upstream: 'usage.noUpstream',
  status: 'usage.other',
  error: 'usage.noError',
};

export function lineName(
  by: Grouping,
  { kind, value, name }: Pick<UsageLine, 'kind' | 'value' | 'name'>,
  t: Translate,
): string {
  if (kind === 'value') return name ?? (by === 'error' ? caseName(value ?? '', t) : (value ?? ''));
  return t(kind === 'none' ? noneWords[by] : 'usage.other');
}
