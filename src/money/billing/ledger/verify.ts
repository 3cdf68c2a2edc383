import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../../platform/store/store.ts';

/** The invariants of the ledger and whether they hold. */
export interface LedgerReport {
  readonly checks: readonly LedgerCheck[];
  readonly isSound: boolean;
}

export interface LedgerCheck {
  /** The invariant, as a sentence. */
  readonly title: string;
  /** The number of checked rows. */
  readonly count: number;
  /** The rows that violate it. Empty if it holds. */
  readonly violations: readonly string[];
}

const violationsShown = 20;

/** Checks everything in one transaction, so that running requests cannot cause false violations. */
export function verifyLedger({ transaction }: Pick<Store, 'transaction'>): Promise<LedgerReport> {
  return transaction(async (tx) => {
    const checks: LedgerCheck[] = [];
    for (const { title, counted, broken } of invariants) {
      const [{ count }] = (await counted.execute(tx)).rows as [{ count: number | string }];
      const { rows } = await broken.execute(tx);
      const violations = rows.slice(0, violationsShown).map((row) => Object.values(row).join(' '));
      checks.push({ title, count: Number(count), violations });
    }
    return { checks, isSound: checks.every(({ violations }) => violations.length === 0) };
  });
}

/** The charges of a row of `budget_spend`. */
function charged(isCounted: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((select -sum(transfers.amount) from transfers where ${isCounted}
    and transfers.at >= since and transfers.at < until
    and transfers.kind in ('charge', 'charge-rest', 'opening-spend')), 0)`;
}

/** Each `broken` query returns the violations. It returns no rows if the invariant holds. */
const invariants = [
  {
    title: 'the two sides of every transaction sum to zero',
    counted: sql`select count(*) as count from transfers`,
    broken: sql<CheckRow>`select reference, kind, cast(sum(amount) as text) as off from entries group by reference, kind having sum(amount) <> 0`,
  },
  {
    title: 'all entries together sum to zero',
    counted: sql`select count(*) as count from entries`,
    broken: sql<CheckRow>`select cast(sum(amount) as text) as off from entries having sum(amount) <> 0`,
  },
  {
    title: 'every balance equals the entries of its account',
    counted: sql`select count(*) as count from balances`,
    broken: sql<CheckRow>`with sums as (select account, sum(amount) as amount from entries group by account)
      select account_id, cast(granted as text) as granted, cast(topped_up as text) as topped_up from balances
      left join sums as gifts on gifts.account = 'customer:' || account_id || ':granted'
      left join sums as own on own.account = 'customer:' || account_id || ':topped_up'
      where granted <> coalesce(gifts.amount, 0) or topped_up <> coalesce(own.amount, 0)`,
  },
  {
    title: 'the amount set aside equals the leases',
    counted: sql`select count(*) as count from leases`,
    broken: sql<CheckRow>`select account_id, cast(leased as text) as leased from balances
      where leased <> coalesce((select sum(amount) from leases where leases.account_id = balances.account_id), 0)`,
  },
  {
    title: 'no available balance is below its floor, unless the account was postpaid',
    counted: sql`select count(*) as count from balances where postpaid_until is null`,
    broken: sql<CheckRow>`select account_id, cast(granted + topped_up - leased as text) as available from balances
      where granted + topped_up - leased < floor and postpaid_until is null`,
  },
  {
    title: 'every transaction matches its entries',
    counted: sql`select count(*) as count from transfers`,
    broken: sql<CheckRow>`select reference, kind, cast(amount as text) as amount from transfers
      where amount <> coalesce((select sum(entries.amount) from entries where entries.reference = transfers.reference
      and entries.kind = transfers.kind and entries.account like 'customer:' || transfers.account_id || ':%'), 0)`,
  },
  {
    title: 'no request is charged twice',
    counted: sql`select count(*) as count from transfers where kind = 'charge'`,
    broken: sql<CheckRow>`select reference, count(*) as times from transfers where kind = 'charge' group by reference having count(*) > 1`,
  },
  {
    title: 'the hourly spend equals the charges',
    counted: sql`select count(*) as count from spend_hours`,
    broken: sql<CheckRow>`select account_id, cast(sum(amount) as text) as off from (
      select account_id, amount from spend_hours
      union all select account_id, amount from transfers where kind in ('charge', 'charge-rest')) as both_sides
      group by account_id having sum(amount) <> 0`,
  },
  {
    title: 'every closed month matches its transactions and starts with the closing balance of the month before',
    counted: sql`select count(*) as count from statements`,
    broken: sql<CheckRow>`select account_id, month, cast(closing as text) as closing from (
      select account_id, month, starts_at, ends_at, opening, closing,
      coalesce(lag(closing) over (partition by account_id order by month), 0) as carried from statements) as months
      where opening <> carried or closing - opening <> coalesce((select sum(amount) from transfers
      where transfers.account_id = months.account_id and at >= starts_at and at < ends_at), 0)`,
  },
  {
    title: 'every payment was booked once with the amount paid, and every reversal was deducted',
    counted: sql`select count(*) as count from payments where state = 'paid'`,
    broken: sql<CheckRow>`select id, account_id from payments where state = 'paid' and (
      not exists (select 1 from transfers where reference = payments.id and kind = 'top_up'
      and transfers.account_id = payments.account_id and transfers.amount = payments.amount)
      or refunded <> coalesce((select sum(entries.amount) from entries where entries.kind = 'reversal'
      and entries.account = 'external' and entries.reference like payments.id || ' refund %'), 0))`,
  },
  {
    title: 'every redeemed code was booked once, with its value',
    counted: sql`select count(*) as count from redemption_codes where redeemed_at is not null`,
    broken: sql<CheckRow>`select codes.id, codes.account_id from redemption_codes as codes
      join code_batches as batches on batches.id = codes.batch_id
      where codes.redeemed_at is not null and not exists (select 1 from transfers where transfers.reference = codes.id
      and transfers.kind = batches.kind and transfers.account_id = codes.account_id and transfers.amount = batches.amount)`,
  },
  {
    title: 'the total spend of each key equals its charges',
    counted: sql`select count(*) as count from key_spend`,
    broken: sql<CheckRow>`select key_id, cast(sum(amount) as text) as off from (
      select key_id, spent as amount from key_spend
      union all select key_id, amount from transfers where kind in ('charge', 'charge-rest') and key_id is not null)
      as both_sides group by key_id having sum(amount) <> 0`,
  },
  {
    title: 'the spend of every limit equals the charges that count for it',
    counted: sql`select count(*) as count from budget_spend`,
    broken: sql<CheckRow>`select scope, subject_id, cast(since as text) as since, cast(spent as text) as spent from budget_spend
      where spent <> case scope
        when 'key' then ${charged(sql`transfers.account_id = (select account_id from api_keys where id = subject_id)
          and transfers.key_id in (select id from api_keys where first_id = subject_id)`)}
        when 'member' then ${charged(sql`(transfers.account_id, transfers.key_id) in (
          select account_id, id from api_keys where account_id || ' ' || member_id = subject_id)`)}
        when 'account' then ${charged(sql`transfers.account_id = subject_id`)}
        else ${charged(sql`transfers.account_id in (select id from accounts where organisation_id = subject_id)`)} end
      and (scope <> 'organisation' or subject_id in (select id from organisations where limits is not null))`,
  },
  {
    title: 'the leases of a limit never exceed it',
    counted: sql`select count(*) as count from budget_leases`,
    broken: sql<CheckRow>`select scope, subject_id, period, cast(since as text) as since, cast(sum(amount) as text) as leased
      from budget_leases where process_id in (select id from processes)
      group by scope, subject_id, period, since, limit_amount having sum(amount) > limit_amount`,
  },
  {
    title: 'a loss is booked only for the amount that exceeds its hold',
    counted: sql`select count(*) as count from transfers where kind in ('charge', 'charge-rest')`,
    broken: sql<CheckRow>`select transfers.reference, transfers.kind, cast(entries.amount as text) as loss from transfers
      join entries on entries.reference = transfers.reference and entries.kind = transfers.kind and entries.account = 'loss'
      where case when transfers.kind not in ('charge', 'charge-rest') then transfers.held is not null
        else transfers.held is null or transfers.held > (
          select sum(paid.amount) from entries as paid where paid.reference = transfers.reference
          and paid.kind in ('charge', 'charge-rest') and paid.account in ('revenue', 'loss')) end`,
  },
];

type CheckRow = Readonly<Record<string, string | number>>;
