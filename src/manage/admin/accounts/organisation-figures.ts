import { sql } from 'kysely';
import { recentSpan } from '../../../money/billing/ledger/spend.ts';
import type { Nano } from '../../../core/money.ts';
import type { Store } from '../../../platform/store/store.ts';

export interface OrganisationFigures {
  readonly accounts: number;
  /** Charges of the last 30 days. */
  readonly recentSpend: Nano;
  /** The negative balances of its accounts together. */
  readonly openAmount: Nano;
}

/** The accounts of some organisations, their recent spend and what they owe, in two queries. */
export async function organisationFigures(
  { db }: Store,
  ids: readonly string[],
  now: number,
): Promise<(organisationId: string) => OrganisationFigures> {
  if (ids.length === 0) return () => none;
  const total = sql`balances.granted + balances.topped_up`;
  const accounts = await db
    .selectFrom('accounts')
    .leftJoin('balances', 'balances.account_id', 'accounts.id')
    .select(({ fn }) => [
      'organisation_id',
      fn.count<string | number>('accounts.id').as('accounts'),
      sql<string>`cast(sum(case when ${total} < 0 then -(${total}) else 0 end) as text)`.as('open'),
    ])
    .where('organisation_id', 'in', [...ids])
    .groupBy('organisation_id')
    .execute();
  const { from, to } = recentSpan(now);
  const spent = await db
    .selectFrom('spend_hours')
    .innerJoin('accounts', 'accounts.id', 'spend_hours.account_id')
    .select(['organisation_id', sql<string>`cast(sum(spend_hours.amount) as text)`.as('spent')])
    .where('organisation_id', 'in', [...ids])
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .groupBy('organisation_id')
    .execute();
  const spentOf = new Map(spent.map((row) => [row.organisation_id, BigInt(row.spent)]));
  const accountsOf = new Map(accounts.map((row) => [row.organisation_id, row]));
  return (id) => ({
    accounts: Number(accountsOf.get(id)?.accounts ?? none.accounts),
    recentSpend: spentOf.get(id) ?? none.recentSpend,
    openAmount: BigInt(accountsOf.get(id)?.open ?? none.openAmount),
  });
}

const none: OrganisationFigures = { accounts: 0, recentSpend: 0n, openAmount: 0n };
