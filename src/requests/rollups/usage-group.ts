import { hourOf } from '../../core/time/calendar-day.ts';
import { type CounterColumns, fieldsOf, sumRows } from '../../store/counters.ts';
import type { RequestRow } from '../request-record.ts';
import { readSums, type RollupSums, rollupSums, sumsOf } from './usage-sums.ts';

/** Key of a group: its hour, and all dimensions of usage. Null if the requests have no value. */
export type GroupName = Readonly<Record<'account_id' | 'key_id', string>> &
  Readonly<Record<'hour' | 'status', number>> &
  Readonly<Record<'model' | 'user_id' | 'upstream' | 'error_case', string | null>>;

/** Sums of requests that have the same value in every dimension. */
export type UsageGroup = GroupName & RollupSums;

const keys = ['account_id', 'hour', 'key_id', 'model', 'user_id', 'upstream', 'status', 'error_case'] as const;
const columns: CounterColumns<UsageGroup> = { keys, sums: rollupSums };

export function groupsOf(rows: readonly RequestRow[]): readonly UsageGroup[] {
  return sumRows(columns, rows.map(groupOf));
}

function groupOf(row: RequestRow): UsageGroup {
  const { account_id, key_id, model, user_id, upstream, status, error_case } = row;
  const hour = hourOf(row.started_at);
  return { account_id, hour, key_id, model, user_id, upstream, status, error_case, ...sumsOf(row) };
}

/** Serialises groups compactly: every batch of requests writes one. */
export function encodeGroups(groups: readonly UsageGroup[]): string {
  return JSON.stringify(groups.map((group) => fieldsOf(columns, group)));
}

export function decodeGroups(text: string): readonly UsageGroup[] {
  const rows = JSON.parse(text) as readonly (readonly (string | number | null)[])[];
  return rows.map((row) => ({
    ...(Object.fromEntries(keys.map((key, index) => [key, row[index]])) as unknown as GroupName),
    ...readSums(rollupSums, (_, index) => row[keys.length + index] ?? 0),
  }));
}
