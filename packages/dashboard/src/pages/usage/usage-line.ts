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
  tag: 'tag',
  upstream: 'upstream',
  status: 'status',
  error: 'error_case',
};

/** The filters that can also select requests without a value. */
const absent: ReadonlySet<string> = new Set(['model', 'user_id', 'upstream', 'error_case', 'tags']);

/** What a row is about. Only rows of operators have an account. */
type LineValue = Pick<UsageLine, 'kind' | 'value' | 'name' | 'account_id' | 'account_name'>;

/** The filter for exactly the requests of a row. Undefined if the list has no such filter. */
export function lineFilter(
  by: Grouping,
  { kind, value, name, account_id: id, account_name: account = id }: LineValue,
): Readonly<Record<string, string>> | undefined {
  const filter = names[by];
  const without = by === 'tag' ? 'tags' : filter;
  if (kind === 'none' && absent.has(without)) return { without };
  if (kind !== 'value' || value === null || value === '') return undefined;
  return { [filter]: by === 'account' ? (name ?? value) : value, ...(account && { account }) };
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
  tag: 'usage.byTag',
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
  tag: 'usage.noTag',
  upstream: 'usage.noUpstream',
  status: 'usage.other',
  error: 'usage.noError',
};

/** The name of a row, with its account if rows of several accounts are listed. */
export function lineName(by: Grouping, line: LineValue, t: Translate): string {
  const { kind, value, name, account_id: id, account_name: account } = line;
  if (kind !== 'value') return t(kind === 'none' ? noneWords[by] : 'usage.other');
  const own = name ?? (by === 'error' ? caseName(value ?? '', t) : (value ?? ''));
  return id ? `${own} · ${account ?? id}` : own;
}
