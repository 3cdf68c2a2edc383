import type { Nano } from '../core/money.ts';
import type { RequestRow } from './request-record.ts';
import { hourOf } from './usage-hours.ts';
import {
  addSums as addRequestSums,
  countSums,
  type RequestSums,
  type SummedRow,
  sumsOf,
  timeSums,
} from './usage-sums.ts';

/** The sums of a group of requests, in the order of rollup deltas. */
export const rollupSums = [
  ...countSums,
  'cost',
  'provider_cost',
  // Charges for the requests whose provider cost is known.
  'costed',
  ...timeSums,
] as const;

const moneySums = ['cost', 'provider_cost', 'costed'] as const satisfies readonly (typeof rollupSums)[number][];
type MoneySum = (typeof moneySums)[number];
export type RollupSums = RequestSums & Record<MoneySum, Nano>;

/** All dimensions of usage. */
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

/** Key of a group; null if the requests have no value. */
export type GroupName = Readonly<Record<'account_id' | 'key_id', string>> &
  Readonly<Record<'hour' | 'status', number>> &
  Readonly<Record<'model' | 'user_id' | 'upstream' | 'error_case', string | null>>;

/** Sums of requests that have the same value in every dimension. */
export interface UsageGroup {
  readonly name: GroupName;
  readonly sums: RollupSums;
}

/** The columns of a request that determine its group and sums. */
export type GroupedRow = SummedRow &
  Pick<RequestRow, Exclude<(typeof groupKeys)[number], 'hour'> | 'started_at' | 'provider_cost'>;

export function groupsOf(rows: readonly GroupedRow[]): readonly UsageGroup[] {
  const groups = new Map<string, UsageGroup>();
  for (const row of rows) {
    const { account_id, key_id, model, user_id, upstream, status, error_case } = row;
    const hour = hourOf(row.started_at);
    const name = { account_id, hour, key_id, model, user_id, upstream, status, error_case };
    const text = JSON.stringify([account_id, hour, key_id, model, user_id, upstream, status, error_case]);
    const known = groups.get(text);
    if (known) addSums(known.sums, sumsWithCost(row));
    else groups.set(text, { name, sums: sumsWithCost(row) });
  }
  return [...groups.values()];
}

export function addSums(to: RollupSums, more: RollupSums): void {
  addRequestSums(to, more);
  to.provider_cost += more.provider_cost;
  to.costed += more.costed;
}

/** Serialises groups compactly: every batch of requests writes one. */
export function encodeGroups(groups: readonly UsageGroup[]): string {
  return JSON.stringify(
    groups.map(({ name, sums }) => [
      ...groupKeys.map((key) => name[key]),
      ...rollupSums.map((sum) => (typeof sums[sum] === 'bigint' ? String(sums[sum]) : sums[sum])),
    ]),
  );
}

export function decodeGroups(text: string): readonly UsageGroup[] {
  const rows = JSON.parse(text) as readonly (readonly (string | number | null)[])[];
  return rows.map((row) => {
    const name = Object.fromEntries(groupKeys.map((key, index) => [key, row[index]])) as unknown as GroupName;
    const values = row.slice(groupKeys.length);
    const sums = Object.fromEntries(
      rollupSums.map((sum, index) => [sum, isMoney(sum) ? BigInt(values[index] ?? 0) : Number(values[index])]),
    ) as unknown as RollupSums;
    return { name, sums };
  });
}

function isMoney(sum: (typeof rollupSums)[number]): sum is MoneySum {
  return moneySums.some((money) => money === sum);
}

function sumsWithCost(row: GroupedRow): RollupSums {
  const { provider_cost: providerCost, cost } = row;
  return {
    ...sumsOf(row),
    provider_cost: providerCost ?? 0n,
    costed: providerCost === null ? 0n : (cost ?? 0n),
  };
}
