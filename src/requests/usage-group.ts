import type { Nano } from '../core/money.ts';
import type { RequestRow } from './request-record.ts';
import { hourOf } from './usage-hours.ts';

/** What adds up in a group of requests. */
export const sliceSums = [
  'requests',
  'errors',
  'client_gone',
  'answered',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'cost',
  'provider_cost',
  // What was charged for those requests whose provider's cost is known.
  'costed',
  'wait_ms',
  'first_byte_ms',
  'duration_ms',
] as const;

const moneySums = ['cost', 'provider_cost', 'costed'] as const;
type MoneySum = (typeof moneySums)[number];
export type SliceSums = Record<Exclude<(typeof sliceSums)[number], MoneySum>, number> & Record<MoneySum, Nano>;

/** Everything that usage can be sliced by. */
const groupKeys = [
  'account_id',
  'hour',
  'key_id',
  'model',
  'user_id',
  'upstream',
  'status',
  'error_case',
] as const satisfies readonly (keyof RequestRow | 'hour')[];

/** What names a group; null where requests do not say it. */
export type GroupName = Readonly<Record<'account_id' | 'key_id', string>> &
  Readonly<Record<'hour' | 'status', number>> &
  Readonly<Record<'model' | 'user_id' | 'upstream' | 'error_case', string | null>>;

/** Requests that are alike in everything that usage can be sliced by, added up. */
export interface UsageGroup {
  readonly name: GroupName;
  readonly sums: SliceSums;
}

/** The columns of a request that its group is made of. */
export type GroupedRow = Pick<
  RequestRow,
  | Exclude<(typeof groupKeys)[number], 'hour'>
  | 'started_at'
  | 'client_gone'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'cached_tokens'
  | 'reasoning_tokens'
  | 'cost'
  | 'provider_cost'
  | 'wait_ms'
  | 'first_byte_ms'
  | 'duration_ms'
>;

export function groupsOf(rows: readonly GroupedRow[]): readonly UsageGroup[] {
  const groups = new Map<string, UsageGroup>();
  for (const row of rows) {
    const { account_id, key_id, model, user_id, upstream, status, error_case } = row;
    const hour = hourOf(row.started_at);
    const name = { account_id, hour, key_id, model, user_id, upstream, status, error_case };
    const text = JSON.stringify([account_id, hour, key_id, model, user_id, upstream, status, error_case]);
    const known = groups.get(text);
    if (known) addSums(known.sums, sumsOf(row));
    else groups.set(text, { name, sums: sumsOf(row) });
  }
  return [...groups.values()];
}

/** Adds sums to others. */
export function addSums(to: SliceSums, more: SliceSums): void {
  for (const name of countSums) to[name] += more[name];
  for (const name of moneySums) to[name] += more[name];
}

/** Groups as text, without a word more than needed: one goes with every batch of requests. */
export function encodeGroups(groups: readonly UsageGroup[]): string {
  return JSON.stringify(
    groups.map(({ name, sums }) => [
      ...groupKeys.map((key) => name[key]),
      ...sliceSums.map((sum) => (typeof sums[sum] === 'bigint' ? String(sums[sum]) : sums[sum])),
    ]),
  );
}

export function decodeGroups(text: string): readonly UsageGroup[] {
  const rows = JSON.parse(text) as readonly (readonly (string | number | null)[])[];
  return rows.map((row) => {
    const name = Object.fromEntries(groupKeys.map((key, index) => [key, row[index]])) as unknown as GroupName;
    const values = row.slice(groupKeys.length);
    const sums = Object.fromEntries(
      sliceSums.map((sum, index) => [sum, isMoney(sum) ? BigInt(values[index] ?? 0) : Number(values[index])]),
    ) as unknown as SliceSums;
    return { name, sums };
  });
}

function isMoney(sum: (typeof sliceSums)[number]): sum is MoneySum {
  return moneySums.some((money) => money === sum);
}

/** Apart, since this is done for every slice of every group. */
const countSums = sliceSums.filter((sum) => !isMoney(sum));

function sumsOf(row: GroupedRow): SliceSums {
  return {
    requests: 1,
    errors: row.error_case === null ? 0 : 1,
    client_gone: row.client_gone,
    answered: row.first_byte_ms === null ? 0 : 1,
    prompt_tokens: row.prompt_tokens ?? 0,
    completion_tokens: row.completion_tokens ?? 0,
    cached_tokens: row.cached_tokens ?? 0,
    reasoning_tokens: row.reasoning_tokens ?? 0,
    cost: row.cost ?? 0n,
    provider_cost: row.provider_cost ?? 0n,
    costed: row.provider_cost === null ? 0n : (row.cost ?? 0n),
    wait_ms: row.wait_ms ?? 0,
    first_byte_ms: row.first_byte_ms ?? 0,
    duration_ms: row.duration_ms,
  };
}
