import { type Kysely, sql } from 'kysely';
import { hourMs } from '../../../core/time/calendar-day.ts';
import type { Nano } from '../../../core/money.ts';
import type { Database } from '../../../platform/store/database.ts';

/** The movements of an account within a span, by kind. Spending is negative. */
export interface StatementSums {
  readonly topUps: Nano;
  readonly grants: Nano;
  readonly refunds: Nano;
  readonly adjustments: Nano;
  /** Payments that went back to the payer. */
  readonly reversals: Nano;
  readonly charges: Nano;
  /**
   * The charges by model, largest first. Charges without a known model, or beyond the limit, come last without a name.
   */
  readonly models: readonly { readonly model: string | undefined; readonly amount: Nano }[];
}

/** More lines than a statement needs. */
const modelsMax = 50;

/** `to` is exclusive. */
export interface SumSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * Credits are few and have their own index. Charges are read from hourly sums, so the cost depends on the hours, not on
 * the number of charges. If the span begins or ends within an hour, the charges of that part are summed one by one. The
 * models come from the rollups: call it after pending deltas are added. A difference to the ledger, such as a lost
 * request record, is listed without a model: the lines always add up to the ledger.
 */
export async function statementSums(tx: Kysely<Database>, accountId: string, span: SumSpan): Promise<StatementSums> {
  const { from, to } = span;
  const credits = await sql<{ kind: string; amount: string }>`
    select kind, cast(sum(amount) as text) as amount from transfers
    where account_id = ${accountId} and at >= ${from} and at < ${to} and kind not in ('charge', 'charge-rest')
    group by kind`.execute(tx);
  const byKind = new Map(credits.rows.map(({ kind, amount }) => [kind, BigInt(amount)]));
  const charges = -(await chargedWithin(tx, accountId, span));
  return {
    topUps: byKind.get('top_up') ?? 0n,
    grants: byKind.get('grant') ?? 0n,
    refunds: byKind.get('refund') ?? 0n,
    adjustments: adjustments.reduce((sum, kind) => sum + (byKind.get(kind) ?? 0n), 0n),
    reversals: byKind.get('reversal') ?? 0n,
    charges,
    models: await byModel(tx, accountId, { ...span, charges }),
  };
}

/** The kinds of movements that a statement lists as adjustments. */
const adjustments = ['adjust', 'opening-balance', 'opening-spend', 'opening-credit'];

/** The total change of the balance. */
export function totalOf({ topUps, grants, refunds, adjustments, reversals, charges }: StatementSums): Nano {
  return topUps + grants + refunds + adjustments + reversals + charges;
}

/** The charges of an account within a span, exact to the millisecond. */
export async function chargedWithin(tx: Kysely<Database>, accountId: string, span: SumSpan): Promise<Nano> {
  const { hours, edges } = hoursIn(span);
  const whole = sql`select amount from spend_hours
    where account_id = ${accountId} and hour >= ${hours.from} and hour < ${hours.to}`;
  const parts = edges.map(
    ({ from, to }) => sql`select -amount as amount from transfers
      where account_id = ${accountId} and at >= ${from} and at < ${to} and kind in ('charge', 'charge-rest')`,
  );
  const { rows } = await sql<{ amount: string | null }>`
    select cast(sum(amount) as text) as amount from (${sql.join([whole, ...parts], sql` union all `)}) as charged`.execute(
    tx,
  );
  return BigInt(rows[0]?.amount ?? 0);
}

/** The whole UTC hours within a span, and the remaining parts at both ends. */
export function hoursIn({ from, to }: SumSpan): { readonly hours: SumSpan; readonly edges: readonly SumSpan[] } {
  const [first, end] = [Math.ceil(from / hourMs) * hourMs, Math.floor(to / hourMs) * hourMs];
  if (first > end) return { hours: { from: first, to: first }, edges: [{ from, to }] };
  const edges = [
    { from, to: first },
    { from: end, to },
  ];
  return { hours: { from: first, to: end }, edges: edges.filter((edge) => edge.from < edge.to) };
}

async function byModel(
  tx: Kysely<Database>,
  accountId: string,
  { charges, ...span }: SumSpan & { readonly charges: Nano },
): Promise<StatementSums['models']> {
  const { hours, edges } = hoursIn(span);
  const whole = sql`select value, cost from usage_rollups
    where account_id = ${accountId} and dimension = 'model' and hour >= ${hours.from} and hour < ${hours.to}`;
  const parts = edges.map(
    ({ from, to }) => sql`select '=' || model as value, cost from requests
      where account_id = ${accountId} and started_at >= ${from} and started_at < ${to}`,
  );
  const { rows } = await sql<{ model: string; amount: string }>`
    select substr(value, 2) as model, cast(sum(cost) as text) as amount
    from (${sql.join([whole, ...parts], sql` union all `)}) as used
    where value like '=%' group by value having sum(cost) > 0
    order by sum(cost) desc, value limit ${sql.lit(modelsMax)}`.execute(tx);
  const named = rows.map(({ model, amount }) => ({ model, amount: -BigInt(amount) }));
  const rest = named.reduce((left, { amount }) => left - amount, charges);
  return rest === 0n ? named : [...named, { model: undefined, amount: rest }];
}
