import { assert } from 'chat-formats/assert.ts';
import type { Nano } from '../../../core/money.ts';
import { type JobStatement, statementsFor, type FieldValue, type Row } from '../../../platform/store/job.ts';
import { change, deletion, insertion, selection } from '../../../platform/store/row-statements.ts';
import type { LockedAccount } from './charging.ts';

/** Locks the row of a process, so that it cannot be reaped until the end of the transaction. */
export const ownProcess = selection('own process', 'select id from processes where id in @processes', 'for key share');

/**
 * Reads and locks balances. Every transaction that moves an account's money holds its row from here to its end, so
 * these figures stay true until the write. Rows are locked in order of id, so that two transactions cannot deadlock.
 */
export const lockedBalances = selection(
  'locked balances',
  `select account_id, cast(granted as text) as granted, cast(topped_up as text) as topped_up,
  cast(leased as text) as leased, cast(floor as text) as floor, cast(low_at as text) as low_at,
  closed_until
  from balances where account_id in @accounts order by account_id`,
  'for update',
);

export function accountsIn(rows: readonly Row[]): ReadonlyMap<string, LockedAccount> {
  const accounts = rows.map(
    (row): LockedAccount => ({
      accountId: String(row['account_id']),
      granted: money(row['granted']),
      toppedUp: money(row['topped_up']),
      leased: money(row['leased']),
      floor: money(row['floor']),
      lowAt: row['low_at'] === null ? undefined : money(row['low_at']),
      closedUntil: Number(row['closed_until'] ?? 0),
    }),
  );
  return new Map(accounts.map((account) => [account.accountId, account]));
}

export function balanceStatements(accounts: Iterable<LockedAccount>): readonly JobStatement[] {
  return statementsFor(changeBalances, Array.from(accounts, balanceFields));
}

const changeBalances = change(
  'balances',
  { account_id: 'text' },
  { granted: 'bigint', topped_up: 'bigint', leased: 'bigint' },
);

function balanceFields({ accountId, granted, toppedUp, leased }: LockedAccount): readonly FieldValue[] {
  return [accountId, String(granted), String(toppedUp), String(leased)];
}

/** The lease of one process on one account. */
export interface FundsLease {
  readonly processId: string;
  readonly accountId: string;
  amount: Nano;
}

export function leasesIn(rows: readonly Row[]): readonly FundsLease[] {
  return rows.map(
    (row): FundsLease => ({
      processId: String(row['process_id']),
      accountId: String(row['account_id']),
      amount: money(row['amount']),
    }),
  );
}

/** Writes the leases and deletes empty ones. */
export function leaseStatements(leases: Iterable<FundsLease>): readonly JobStatement[] {
  const [left, used] = [new Array<readonly FieldValue[]>(), new Array<readonly FieldValue[]>()];
  for (const { processId, accountId, amount } of leases) {
    if (amount === 0n) used.push([processId, accountId]);
    else left.push([processId, accountId, String(amount)]);
  }
  return [...statementsFor(upsertLeases, left), ...statementsFor(deleteLeases, used)];
}

const leaseKeys = { process_id: 'text', account_id: 'text' } as const;
const upsertLeases = insertion(
  'leases',
  { ...leaseKeys, amount: 'bigint' },
  { onConflict: '(process_id, account_id) do update set amount = excluded.amount' },
);
const deleteLeases = deletion('leases', leaseKeys);

/** Parses money. It is read as text, because a database driver could round a number. */
export function money(text: string | number | null | undefined): Nano {
  assert(typeof text === 'string', 'money is read as text');
  return BigInt(text);
}
