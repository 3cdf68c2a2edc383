import type { OperatorUsage, SlicedUsage } from '../../api/wire.ts';
import type { Grouping } from './scope.ts';

/** A line as either API tells it. */
export type UsageLine = SlicedUsage['lines'][number] & Partial<OperatorUsage['lines'][number]>;
export type Usage = Omit<SlicedUsage, 'lines' | 'totals' | 'series'> & {
  readonly lines: readonly UsageLine[];
  readonly totals: SlicedUsage['totals'] & Partial<OperatorUsage['totals']>;
  readonly series: readonly (SlicedUsage['series'][number] & Partial<OperatorUsage['series'][number]>)[];
};

/** What the list of requests calls what usage is sliced by. */
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

/** What a request may be without, where that is a line of its own. */
const absent: ReadonlySet<string> = new Set(['model', 'user_id', 'upstream', 'error_case']);

/** The search of exactly the requests that a line counts; nothing where the list cannot be asked for them. */
export function lineFilter(
  by: Grouping,
  { kind, value, name }: Pick<UsageLine, 'kind' | 'value' | 'name'>,
): Readonly<Record<string, string>> | undefined {
  const filter = names[by];
  if (kind === 'none' && absent.has(filter)) return { without: filter };
  if (kind !== 'value' || value === null || value === '') return undefined;
  return { [filter]: by === 'account' ? (name ?? value) : value };
}

/** The search of the requests of the whole span. */
export function spanFilter(
  { since, until }: Pick<Usage, 'since' | 'until'>,
  account: string | undefined,
): Readonly<Record<string, string>> {
  return { range: 'custom', since, until, ...(account !== undefined && { account }) };
}
