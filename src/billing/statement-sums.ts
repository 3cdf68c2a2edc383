import { type Kysely, sql } from 'kysely';
import type { Nano } from '../core/money.ts';
import type { Database } from '../store/database.ts';

/** What moved an account's money within a time, added up. What was spent is negative. */
export interface StatementSums {
  readonly topUps: Nano;
  readonly grants: Nano;
  readonly refunds: Nano;
  readonly adjustments: Nano;
  /** What went back to whoever had paid it in. */
  readonly reversals: Nano;
  readonly charges: Nano;
  /** The charges by model, the largest first; what no model is known for, or more than fit, stands last without a name. */
  readonly models: readonly { readonly model: string | undefined; readonly amount: Nano }[];
}

/** More than anybody reads on one sheet. */
const modelsMax = 50;

/**
 * Adds up whole hours. Credits are few and have an index of their own; charges are read from their sums by the hour, so that
 * millions of them cost no more than the hours they lie in. The requests' own sums tell the models; whatever they and the
 * ledger differ by, such as a request whose record was lost, belongs to no model: the lines always add up to the ledger.
 */
export async function statementSums(
  tx: Kysely<Database>,
  accountId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<StatementSums> {
  const credits = await sql<{ kind: string; amount: string }>`
    select kind, cast(sum(amount) as text) as amount from transfers
    where account_id = ${accountId} and at >= ${from} and at < ${to} and kind not in ('charge', 'charge-rest')
    group by kind`.execute(tx);
  const byKind = new Map(credits.rows.map(({ kind, amount }) => [kind, BigInt(amount)]));
  const hours = await tx
    .selectFrom('spend_hours')
    .select(sql<string | null>`cast(sum(amount) as text)`.as('amount'))
    .where('account_id', '=', accountId)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .executeTakeFirst();
  const charges = -BigInt(hours?.amount ?? 0);
  return {
    topUps: byKind.get('top_up') ?? 0n,
    grants: byKind.get('grant') ?? 0n,
    refunds: byKind.get('refund') ?? 0n,
    adjustments: byKind.get('adjust') ?? 0n,
    reversals: byKind.get('reversal') ?? 0n,
    charges,
    models: await byModel(tx, accountId, { from, to, charges }),
  };
}

/** What they add to a balance. */
export function totalOf({ topUps, grants, refunds, adjustments, reversals, charges }: StatementSums): Nano {
  return topUps + grants + refunds + adjustments + reversals + charges;
}

async function byModel(
  tx: Kysely<Database>,
  accountId: string,
  { from, to, charges }: { readonly from: number; readonly to: number; readonly charges: Nano },
): Promise<StatementSums['models']> {
  const rows = await tx
    .selectFrom('usage_hours')
    .select(['model', sql<string>`cast(sum(cost) as text)`.as('amount')])
    .where('account_id', '=', accountId)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .where('model', '<>', '')
    .groupBy('model')
    .having(sql`sum(cost)`, '>', 0)
    .orderBy(sql`sum(cost) desc`)
    .orderBy('model')
    .limit(modelsMax)
    .execute();
  const named = rows.map(({ model, amount }) => ({ model, amount: -BigInt(amount) }));
  const rest = named.reduce((left, { amount }) => left - amount, charges);
  return rest === 0n ? named : [...named, { model: undefined, amount: rest }];
}
