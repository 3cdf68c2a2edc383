import type { Nano } from '../core/money.ts';
import { type JobStatement, statementsFor } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import type { TransferRow } from './book.ts';

/**
 * Adds charges to the totals of their keys and hours, one row for each. A transaction that books holds the rows of its
 * accounts, and a key belongs to one account. Two transactions therefore cannot deadlock here.
 */
export function chargeSums(transfers: readonly TransferRow[]): readonly JobStatement[] {
  const [keys, hours] = [new Map<string, KeySum>(), new Map<string, HourSum>()];
  for (const { account_id: accountId, key_id, amount, at } of transfers) {
    const keyId = key_id ?? '';
    const spent = -amount;
    const hour = Math.floor(at / hourMs) * hourMs;
    if (keyId !== '') sumOf(keys, keyId, () => ({ keyId, spent: 0n })).spent += spent;
    sumOf(hours, `${accountId}\0${hour}\0${keyId}`, () => ({ accountId, hour, keyId, spent: 0n })).spent += spent;
  }
  return [
    ...statementsFor(
      additionToHours,
      Array.from(hours.values(), ({ accountId, hour, keyId, spent }) => [accountId, hour, keyId, String(spent)]),
    ),
    ...statementsFor(
      additionToKeys,
      Array.from(keys.values(), ({ keyId, spent }) => [keyId, String(spent)]),
    ),
  ];
}

const hourMs = 3_600_000;

interface KeySum {
  readonly keyId: string;
  spent: Nano;
}

interface HourSum extends KeySum {
  readonly accountId: string;
  readonly hour: number;
}

function sumOf<Sum>(sums: Map<string, Sum>, name: string, newSum: () => Sum): Sum {
  const sum = sums.get(name) ?? newSum();
  sums.set(name, sum);
  return sum;
}

const additionToHours = addition('spend_hours', { account_id: 'text', hour: 'bigint', key_id: 'text' }, ['amount']);
const additionToKeys = addition('key_spend', { key_id: 'text' }, ['spent']);
