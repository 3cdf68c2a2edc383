import type { Kysely } from 'kysely';
import { assert } from 'chat-formats/assert.ts';
import { defaultTimeZone } from '../../../core/time/calendar-day.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { Nano } from '../../../core/money.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Database } from '../../../platform/store/database.ts';
import type { Store } from '../../../platform/store/store.ts';
import { catchUp } from '../../requests/rollups/rollup-worker.ts';
import { lockAccounts, moneyText } from './locked-accounts.ts';
import { isMonth, type Month, monthAfter, monthAt, monthEnd, monthStart } from './months.ts';
import { type StatementSums, statementSums, totalOf } from './statement-sums.ts';

/** The balance of an account at the start of a month, the movements, and the balance at the end, or now. */
export interface MonthlyStatement extends MonthSpan {
  /** The statement is final. */
  readonly isClosed: boolean;
  readonly opening: Nano;
  readonly closing: Nano;
  readonly sums: StatementSums;
}

/**
 * The span of a month for one account. It begins where the previous one ended, even if the account's time zone has
 * changed since.
 */
interface MonthSpan {
  readonly month: Month;
  /** The time zone that decides its end. */
  readonly timeZone: string;
  readonly from: number;
  readonly to: number;
}

/** Late bookings and records within this time still belong to the month. Later ones belong to the next. */
export const graceMs = 3_600_000;
/** 50 years. */
const monthsMax = 600;

/** The monthly statements of an account, newest first. Empty if it never had a movement. */
export async function listStatements(
  store: Store,
  clock: Clock,
  accountId: string,
): Promise<readonly MonthlyStatement[]> {
  await closeMonths(store, clock, accountId);
  const rows = await closedMonths(store.db, accountId).orderBy('month', 'desc').limit(monthsMax).execute();
  const closed = rows.map(statementOf);
  const open: MonthlyStatement[] = [];
  let opening = closed[0]?.closing ?? 0n;
  for (const span of await openMonths(store.db, clock, accountId)) {
    const sums = await statementSums(store.db, accountId, span);
    const closing = opening + totalOf(sums);
    open.unshift({ ...span, isClosed: false, opening, closing, sums });
    opening = closing;
  }
  return [...open, ...closed];
}

/** The statement of one month. */
export async function findStatement(
  store: Store,
  clock: Clock,
  { accountId, month }: { readonly accountId: string; readonly month: Month },
): Promise<MonthlyStatement | undefined> {
  if (!isMonth(month)) return undefined;
  await closeMonths(store, clock, accountId);
  const row = await closedMonths(store.db, accountId).where('month', '=', month).executeTakeFirst();
  if (row) return statementOf(row);
  return (await listStatements(store, clock, accountId)).find((each) => each.month === month);
}

/**
 * Closes the months that are over, in order: stores their sums, and from then on nothing is booked into them. Bookings
 * and this function lock the row of the balance. A late booking is dated to the end of the closed months. A month stays
 * open while the rollups, which have its charges by model, are far behind the requests.
 */
async function closeMonths(store: Store, clock: Clock, accountId: string): Promise<void> {
  if (!(await catchUp(store))) return;
  const due = (await openMonths(store.db, clock, accountId)).some((span) => isOver(span, clock));
  if (!due) return;
  await store.transaction(async (tx) => {
    const account = (await lockAccounts(tx, [accountId])).get(accountId);
    if (!account) return;
    // Read again under the lock: no other transaction can close or book now.
    const months = (await openMonths(tx, clock, accountId)).filter((span) => isOver(span, clock));
    const last = await lastClosed(tx, accountId);
    let opening = last?.closing ?? 0n;
    for (const { month, timeZone, from, to } of months) {
      const sums = await statementSums(tx, accountId, { from, to });
      const closing = opening + totalOf(sums);
      const span = { month, time_zone: timeZone, starts_at: from, ends_at: to };
      const row = { account_id: accountId, ...span, opening, closing, sums: encodeSums(sums) };
      await tx.insertInto('statements').values(row).execute();
      opening = closing;
    }
    const end = months.at(-1)?.to;
    if (end === undefined) return;
    const since = await statementSums(tx, accountId, { from: end, to: Number.MAX_SAFE_INTEGER });
    assert(
      opening + totalOf(since) === account.granted + account.toppedUp,
      'the closed months and later movements add up to the balance',
    );
    await tx.updateTable('balances').set({ closed_until: end }).where('account_id', '=', accountId).execute();
  });
}

function isOver({ to }: MonthSpan, clock: Clock): boolean {
  return to + graceMs <= clock.now();
}

/**
 * The open months up to the current one, oldest first. They continue from the last closed month. If the account's time
 * zone changed in between, the next month is longer or shorter by the difference, so that every moment is in exactly
 * one month.
 */
async function openMonths(db: Kysely<Database>, clock: Clock, accountId: string): Promise<readonly MonthSpan[]> {
  const timeZone = await timeZoneOf(db, accountId);
  const closed = await lastClosed(db, accountId);
  const first = closed ? closed.to : await firstMovement(db, accountId);
  if (first === undefined) return [];
  let month = closed ? monthAfter(closed.month) : monthAt(first, timeZone);
  let from = closed ? closed.to : monthStart(month, timeZone);
  const months: MonthSpan[] = [];
  while (from <= clock.now() && months.length < monthsMax) {
    const to = monthEnd(month, timeZone);
    assert(to > from, 'a month ends after its start');
    months.push({ month, timeZone, from, to });
    [month, from] = [monthAfter(month), to];
  }
  return months;
}

async function timeZoneOf(db: Kysely<Database>, accountId: string): Promise<string> {
  const row = await db.selectFrom('accounts').select('time_zone').where('id', '=', accountId).executeTakeFirst();
  return row?.time_zone ?? defaultTimeZone;
}

async function firstMovement(db: Kysely<Database>, accountId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('transfers')
    .select('at')
    .where('account_id', '=', accountId)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

async function lastClosed(db: Kysely<Database>, accountId: string): Promise<MonthlyStatement | undefined> {
  const row = await closedMonths(db, accountId).orderBy('month', 'desc').limit(1).executeTakeFirst();
  return row && statementOf(row);
}

function closedMonths(db: Kysely<Database>, accountId: string) {
  return db
    .selectFrom('statements')
    .select(['month', 'time_zone', 'starts_at', 'ends_at', 'sums'])
    .select([moneyText('opening').as('opening'), moneyText('closing').as('closing')])
    .where('account_id', '=', accountId);
}

function statementOf(row: ClosedRow): MonthlyStatement {
  const { models, ...sums } = ownJson(row.sums) as SumsJson;
  return {
    month: row.month,
    timeZone: row.time_zone,
    from: row.starts_at,
    to: row.ends_at,
    isClosed: true,
    opening: BigInt(row.opening),
    closing: BigInt(row.closing),
    sums: {
      topUps: BigInt(sums.topUps),
      grants: BigInt(sums.grants),
      refunds: BigInt(sums.refunds),
      adjustments: BigInt(sums.adjustments),
      reversals: BigInt(sums.reversals),
      charges: BigInt(sums.charges),
      models: models.map(({ model, amount }) => ({ model, amount: BigInt(amount) })),
    },
  };
}

interface ClosedRow {
  readonly month: string;
  readonly time_zone: string;
  readonly starts_at: number;
  readonly ends_at: number;
  readonly sums: string;
  readonly opening: string;
  readonly closing: string;
}

type SumsJson = Readonly<Record<Exclude<keyof StatementSums, 'models'>, string>> & {
  readonly models: readonly { readonly model?: string; readonly amount: string }[];
};

/** The sums as JSON, with money as text. */
function encodeSums(sums: StatementSums): string {
  return JSON.stringify(sums, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
