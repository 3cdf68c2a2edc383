import { type Kysely, sql } from 'kysely';
import { chargedWithin, type SumSpan } from '../../../money/billing/ledger/statement-sums.ts';
import { decimalText } from '../../../core/money.ts';
import { alertKinds, eventKinds } from '../../../core/outbox-event.ts';
import type { Database } from '../../../platform/store/database.ts';
import { type EmailedEvent, isEmailed } from './templates.ts';

/** Figures of one digest period. Amounts are decimal text. */
export interface DigestFigures {
  readonly requests: number;
  readonly errors: number;
  readonly spent: string;
  /** Undefined for the whole gateway. */
  readonly balance: string | undefined;
  readonly models: readonly { readonly model: string; readonly requests: number; readonly spent: string }[];
  readonly alerts: readonly { readonly kind: EmailedEvent; readonly count: number }[];
}

const modelsMax = 5;

type Handle = Kysely<Database>;

/** Requests are counted by whole UTC hours. `undefined` if there was no request, alert or charge. */
export async function digestFigures(
  db: Handle,
  accountId: string | undefined,
  span: SumSpan,
): Promise<DigestFigures | undefined> {
  const models = await usage(db, accountId, span);
  const alerts = await alertsWithin(db, accountId, span);
  const spent = accountId === undefined ? await chargedToAll(db, span) : await chargedWithin(db, accountId, span);
  const requests = models.reduce((sum, model) => sum + model.requests, 0);
  if (requests === 0 && alerts.length === 0 && spent === 0n) return undefined;
  return {
    requests,
    errors: models.reduce((sum, model) => sum + model.errors, 0),
    spent: decimalText(spent),
    balance: accountId === undefined ? undefined : decimalText(await balanceOf(db, accountId)),
    models: models.filter(({ model }) => model !== '').slice(0, modelsMax),
    alerts,
  };
}

async function usage(db: Handle, accountId: string | undefined, { from, to }: SumSpan) {
  const hour = sql`hour >= ${from} and hour < ${to}`;
  const rows =
    accountId === undefined
      ? sql`select model, requests, errors, cost from usage_totals where ${hour}`
      : sql`select model, requests, errors, cost from usage_hours where account_id = ${accountId} and ${hour}`;
  const summed = await sql<{ model: string; requests: string; errors: string; cost: string }>`
    select model, cast(sum(requests) as text) as requests, cast(sum(errors) as text) as errors,
      cast(sum(cost) as text) as cost
    from (${rows}) as used group by model order by sum(cost) desc, sum(requests) desc, model`.execute(db);
  return summed.rows.map(({ model, cost, ...counts }) => ({
    model,
    requests: Number(counts.requests),
    errors: Number(counts.errors),
    spent: decimalText(BigInt(cost)),
  }));
}

async function chargedToAll(db: Handle, { from, to }: SumSpan): Promise<bigint> {
  const sum = db.selectFrom('spend_hours').select(sql<string | null>`cast(sum(amount) as text)`.as('amount'));
  const row = await sum.where('hour', '>=', from).where('hour', '<', to).executeTakeFirst();
  return BigInt(row?.amount ?? 0);
}

async function balanceOf(db: Handle, accountId: string): Promise<bigint> {
  const row = await db
    .selectFrom('balances')
    .select(sql<string>`cast(granted + topped_up as text)`.as('balance'))
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return BigInt(row?.balance ?? 0);
}

/** Events that are also sent by e-mail: of an account its own, for operators those addressed to operators. */
async function alertsWithin(db: Handle, accountId: string | undefined, { from, to }: SumSpan) {
  const side = accountId === undefined ? 'operators' : 'account';
  const kinds = alertKinds.filter(isEmailed).filter((kind) => eventKinds[kind] === side);
  const rows = await db
    .selectFrom('events')
    .select(['kind', (row) => row.fn.countAll<string>().as('count')])
    .where('kind', 'in', kinds)
    .where('at', '>=', from)
    .where('at', '<', to)
    .$if(accountId !== undefined, (all) => all.where('account_id', '=', accountId ?? ''))
    .groupBy('kind')
    .orderBy('kind')
    .execute();
  return rows.map(({ kind, count }) => ({ kind: kind as EmailedEvent, count: Number(count) }));
}
