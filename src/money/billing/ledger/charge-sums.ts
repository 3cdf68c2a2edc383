import { hourOf } from '../../../core/time/calendar-day.ts';
import { counterTable } from '../../../platform/store/counters.ts';
import type { JobStatement } from '../../../platform/store/job.ts';
import type { TransferRow } from './book.ts';

const spendHours = counterTable('spend_hours', { account_id: 'text', hour: 'bigint', key_id: 'text' }, ['amount']);
const keySpend = counterTable('key_spend', { key_id: 'text' }, ['spent']);

/**
 * Adds charges to the totals of their keys and hours, one row for each. A transaction that books holds the rows of its
 * accounts, and a key belongs to one account. Two transactions therefore cannot deadlock here.
 */
export function chargeSums(transfers: readonly TransferRow[]): readonly JobStatement[] {
  const charges = transfers.map(({ account_id, key_id, amount, at }) => {
    return { account_id, hour: hourOf(at), key_id: key_id ?? '', amount: -amount, spent: -amount };
  });
  return [...spendHours.add(charges), ...keySpend.add(charges.filter(({ key_id }) => key_id !== ''))];
}
