import { type Kysely, sql } from 'kysely';
import { chargedWithin, type SumSpan } from '../../../money/billing/ledger/statement-sums.ts';
import { rollupTable } from '../../../money/requests/rollups/usage-rollups.ts';
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
/** Two more than shown: the requests without a model, and those of models beyond the limit. */
const busiest = { limit: modelsMax + 2, order: 'cost', points: { interval: 'hour' } } as const;

type Handle = Kysely<Database>;

/**
 * Requests are counted by whole UTC hours. `undefined` if there was no request, alert or charge. Call it after pending
 * rollup deltas are added.
 */
export async function digestFigures(
  db: Handle,
  accountId: string | undefined,
  span: SumSpan,
): Promise<DigestFigures | undefined> {
  const { lines, totals } = await rollupTable({ db }, { ...span, accountId, by: 'model' }, busiest);
  const alerts = await alertsWithin(db, accountId, span);
  const spent = accountId === undefined ? await chargedToAll(db, span) : await chargedWithin(db, accountId, span);
  const sumOf = (name: 'requests' | 'errors') => [...totals.values()].reduce((sum, sums) => sum + sums[name], 0);
  const requests = sumOf('requests');
  if (requests === 0 && alerts.length === 0 && spent === 0n) return undefined;
  return {
    requests,
    errors: sumOf('errors'),
    spent: decimalText(spent),
    balance: accountId === undefined ? undefined : decimalText(await balanceOf(db, accountId)),
    models: lines
      .flatMap(({ value, sums: { requests: count, cost } }) =>
        value.kind === 'value' ? [{ model: value.value, requests: count, spent: decimalText(cost) }] : [],
      )
      .slice(0, modelsMax),
    alerts,
  };
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
