import { caseName } from '../../components/names.ts';
import type { FixedTextKey, Translate } from '../../text/text.tsx';
import type { UsageLine } from './request-filter.ts';
import type { Grouping } from './scope.ts';

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
