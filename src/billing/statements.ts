import type { Kysely } from 'kysely';
import { assert } from '../core/assert.ts';
import type { Clock } from '../core/clock.ts';
import type { Nano } from '../core/money.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { lockAccounts, moneyText } from './locked-accounts.ts';
import { isMonth, type Month, monthEnd, monthOf, monthStart } from './months.ts';
import { type StatementSums, statementSums, totalOf } from './statement-sums.ts';

/** What an account had when a month began, what moved it, and what it had at the end, or has by now. */
export interface Statement {
  readonly month: Month;
  /** Nothing of it changes any more. */
  readonly isClosed: boolean;
  readonly opening: Nano;
  readonly closing: Nano;
  readonly sums: StatementSums;
}

/** What is booked late or recorded late has this long to find its month; afterwards it belongs to the next. */
const graceMs = 3_600_000;
/** More years than any account has. */
const monthsMax = 600;

/** The months of an account, newest first; one that never had money has none. */
export async function listStatements(store: Store, clock: Clock, accountId: string): Promise<readonly Statement[]> {
  await closeMonths(store, clock, accountId);
  const rows = await closedMonths(store.db, accountId).orderBy('month', 'desc').limit(monthsMax).execute();
  const closed = rows.map(statementOf);
  const open: Statement[] = [];
  let opening = closed[0]?.closing ?? 0n;
  for (const month of await openMonths(store, clock, accountId)) {
    const sums = await statementSums(store.db, accountId, { from: monthStart(month), to: monthEnd(month) });
    const closing = opening + totalOf(sums);
    open.unshift({ month, isClosed: false, opening, closing, sums });
    opening = closing;
  }
  return [...open, ...closed];
}

/** One of them. */
export async function findStatement(
  store: Store,
  clock: Clock,
  { accountId, month }: { readonly accountId: string; readonly month: Month },
): Promise<Statement | undefined> {
  if (!isMonth(month)) return undefined;
  await closeMonths(store, clock, accountId);
  const row = await closedMonths(store.db, accountId).where('month', '=', month).executeTakeFirst();
  if (row) return statementOf(row);
  return (await listStatements(store, clock, accountId)).find((each) => each.month === month);
}

/**
 * Closes the months that are over, in their order: what they add up to is written down, and from then on nothing is booked
 * into them. Whoever books holds the row of the balance, as this does, and dates what comes late to the end of what is closed.
 */
async function closeMonths(store: Store, clock: Clock, accountId: string): Promise<void> {
  const due = (await openMonths(store, clock, accountId)).some((month) => isOver(month, clock));
  if (!due) return;
  await store.transaction(async (tx) => {
    const account = (await lockAccounts(tx, [accountId])).get(accountId);
    if (!account) return;
    const inside = { ...store, db: tx };
    // Once more, now that nobody else can close or book.
    const months = (await openMonths(inside, clock, accountId)).filter((month) => isOver(month, clock));
    const last = await lastClosed(tx, accountId);
    let opening = last?.closing ?? 0n;
    for (const month of months) {
      const [from, to] = [monthStart(month), monthEnd(month)];
      const sums = await statementSums(tx, accountId, { from, to });
      const closing = opening + totalOf(sums);
      const span = { month, starts_at: from, ends_at: to };
      const row = { account_id: accountId, ...span, opening, closing, sums: plainSums(sums) };
      await tx.insertInto('statements').values(row).execute();
      opening = closing;
    }
    const end = months.at(-1);
    if (end === undefined) return;
    const since = await statementSums(tx, accountId, { from: monthEnd(end), to: Number.MAX_SAFE_INTEGER });
    assert(opening + totalOf(since) === account.granted + account.toppedUp, 'a closed month leads to the balance');
    await tx
      .updateTable('balances')
      .set({ closed_until: monthEnd(end) })
      .where('account_id', '=', accountId)
      .execute();
  });
}

function isOver(month: Month, clock: Clock): boolean {
  return monthEnd(month) + graceMs <= clock.now();
}

/** The months that are not closed, oldest first, up to this one. */
async function openMonths(store: Pick<Store, 'db'>, clock: Clock, accountId: string): Promise<readonly Month[]> {
  const closed = await lastClosed(store.db, accountId);
  const first = closed ? monthEnd(closed.month) : await firstMovement(store.db, accountId);
  if (first === undefined) return [];
  const months: Month[] = [];
  for (let at = first; at <= clock.now() && months.length < monthsMax; at = monthEnd(monthOf(at)))
    months.push(monthOf(at));
  return months;
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

async function lastClosed(db: Kysely<Database>, accountId: string): Promise<Statement | undefined> {
  const row = await closedMonths(db, accountId).orderBy('month', 'desc').limit(1).executeTakeFirst();
  return row && statementOf(row);
}

function closedMonths(db: Kysely<Database>, accountId: string) {
  return db
    .selectFrom('statements')
    .select(['month', 'sums', moneyText('opening').as('opening'), moneyText('closing').as('closing')])
    .where('account_id', '=', accountId);
}

function statementOf(row: { month: string; sums: string; opening: string; closing: string }): Statement {
  const { models, ...sums } = JSON.parse(row.sums) as PlainSums;
  return {
    month: row.month,
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

type PlainSums = Readonly<Record<Exclude<keyof StatementSums, 'models'>, string>> & {
  readonly models: readonly { readonly model?: string; readonly amount: string }[];
};

/** As JSON, where money is text. */
function plainSums(sums: StatementSums): string {
  return JSON.stringify(sums, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
