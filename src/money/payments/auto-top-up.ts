import { type Kysely, sql } from 'kysely';
import { calendarSpans } from '../../core/time/cap-period.ts';
import { decimalText, type Nano } from '../../core/money.ts';
import { recordEvent } from '../../platform/outbox/record-event.ts';
import type { Database } from '../../platform/store/database.ts';
import type { ChargeFailure } from './payment-provider.ts';

/** If the balance is below `threshold`, `amount` is charged, at most `monthlyMax` in a calendar month (UTC). */
export interface AutoTopUp {
  readonly threshold: Nano;
  readonly amount: Nano;
  readonly monthlyMax: Nano;
  readonly pause: { readonly failure: ChargeFailure; readonly at: number } | undefined;
}

export async function autoTopUpOf(db: Kysely<Database>, accountId: string): Promise<AutoTopUp | undefined> {
  const row = await db
    .selectFrom('auto_top_ups')
    .select(['pause', 'paused_at'])
    .select([text('threshold').as('threshold'), text('amount').as('amount'), text('monthly_max').as('monthlyMax')])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { pause, paused_at: at } = row;
  return {
    threshold: BigInt(row.threshold),
    amount: BigInt(row.amount),
    monthlyMax: BigInt(row.monthlyMax),
    pause: pause === null ? undefined : { failure: pause, at: at ?? 0 },
  };
}

function text(column: 'threshold' | 'amount' | 'monthly_max') {
  return sql<string>`cast(${sql.ref(column)} as text)`;
}

interface AutoTopUpChange extends Pick<AutoTopUp, 'threshold' | 'amount' | 'monthlyMax'> {
  readonly accountId: string;
  readonly by: string;
  readonly at: number;
}

/** Sets the automatic top-up, and ends its pause. */
export async function setAutoTopUp(db: Kysely<Database>, change: AutoTopUpChange): Promise<void> {
  const { accountId, threshold, amount, monthlyMax, by, at } = change;
  const values = { threshold, amount, monthly_max: monthlyMax, set_by: by, set_at: at, pause: null, paused_at: null };
  await db
    .insertInto('auto_top_ups')
    .values({ account_id: accountId, ...values })
    .onConflict((row) => row.column('account_id').doUpdateSet(values))
    .execute();
}

export async function deleteAutoTopUp(db: Kysely<Database>, accountId: string): Promise<void> {
  await db.deleteFrom('auto_top_ups').where('account_id', '=', accountId).execute();
}

interface FailedCharge {
  readonly accountId: string;
  readonly amount: Nano;
  readonly card: string | undefined;
  readonly failure: ChargeFailure;
  readonly at: number;
}

/**
 * Pauses the automatic top-up of an account, and records the event for its owners. A failure of a card that was
 * replaced meanwhile changes nothing. Call it in the transaction that ends the payment.
 */
export async function pauseAutoTopUp(db: Kysely<Database>, charge: FailedCharge): Promise<void> {
  const { accountId, amount, failure, at } = charge;
  const saved = await db
    .selectFrom('saved_cards')
    .select(['brand', 'last4'])
    .where('account_id', '=', accountId)
    .where('card', '=', charge.card ?? '')
    .executeTakeFirst();
  if (!saved) return;
  const paused = await db
    .updateTable('auto_top_ups')
    .set({ pause: failure, paused_at: at })
    .where('account_id', '=', accountId)
    .where('pause', 'is', null)
    .executeTakeFirst();
  if (paused.numUpdatedRows === 0n) return;
  const data = { amount: decimalText(amount), brand: saved.brand, last4: saved.last4, reason: failure };
  await recordEvent(db, { kind: 'top_up.paused', accountId, at, data });
}

/** The calendar month in UTC that limits automatic payments. */
export function monthAt(now: number): { readonly since: number; readonly until: number } {
  return calendarSpans()({ period: 'month', timeZone: 'UTC' }, now);
}

/**
 * The automatic payments of an account since a time: paid, in flight, or with an unknown result. A payment that
 * certainly failed does not count.
 */
function chargedSince(accountId: ReturnType<typeof sql.ref>, since: number) {
  return sql<string>`coalesce((select sum(amount) from payments where payments.account_id = ${accountId}
    and payments.kind = 'automatic' and payments.created_at >= ${since}
    and (payments.state <> 'ended' or payments.failure = 'unreachable')), 0)`;
}

export async function chargedThisMonth(db: Kysely<Database>, accountId: string, now: number): Promise<Nano> {
  const sum = chargedSince(sql.ref('accounts.id'), monthAt(now).since);
  const row = await db
    .selectFrom('accounts')
    .select(sql<string>`cast(${sum} as text)`.as('charged'))
    .where('id', '=', accountId)
    .executeTakeFirst();
  return BigInt(row?.charged ?? 0);
}

/** An automatic payment that is due, and the card to charge. */
export interface DueTopUp {
  readonly accountId: string;
  readonly amount: Nano;
  readonly by: string;
  readonly customer: string;
  readonly card: string;
}

interface DueFilter {
  readonly provider: string;
  readonly now: number;
  /** Only this account. */
  readonly accountId?: string;
  readonly limit: number;
}

/**
 * The automatic payments that are due: the account is active and has a card, the balance is below the
 * threshold, whether or not processes have leased it, no other automatic payment is in flight, and the month has room for another one. One statement reads all
 * of it, so that a payment cannot end between two reads.
 */
export async function dueTopUps(db: Kysely<Database>, filter: DueFilter): Promise<readonly DueTopUp[]> {
  const { provider, now, accountId, limit } = filter;
  const charged = chargedSince(sql.ref('settings.account_id'), monthAt(now).since);
  const only = accountId === undefined ? sql`` : sql`and settings.account_id = ${accountId}`;
  const { rows } = await sql<Omit<DueTopUp, 'amount'> & { readonly amount: string }>`
    select settings.account_id as "accountId", cast(settings.amount as text) as amount, settings.set_by as "by",
      saved_cards.customer as customer, saved_cards.card as card
    from auto_top_ups as settings
    join accounts on accounts.id = settings.account_id and accounts.status = 'active'
    join saved_cards on saved_cards.account_id = settings.account_id and saved_cards.card is not null
      and saved_cards.provider = ${provider}
    left join balances on balances.account_id = settings.account_id
    where settings.pause is null ${only}
      and coalesce(granted + topped_up - floor, 0) < settings.threshold
      and not exists (select 1 from payments where payments.account_id = settings.account_id
        and payments.kind = 'automatic' and payments.state = 'open')
      and ${charged} + settings.amount <= settings.monthly_max
    order by settings.account_id limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}
