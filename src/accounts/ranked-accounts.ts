import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { type Account, type AccountsPart, fromRow, nameHas } from './accounts.ts';

export interface RankedPart extends Omit<AccountsPart, 'after'> {
  readonly by: 'balance' | 'lowest_balance' | 'last_used';
  /** Rank and name of the last account of the previous page. */
  readonly after?: readonly [rank: string, name: string];
  readonly limit: number;
}

export interface RankedAccount {
  readonly account: Account;
  /** A whole number as text. */
  readonly rank: string;
}

/** Accounts by balance or last use, highest rank first. It reads all accounts, of which there are few. */
export async function rankedAccounts(store: Store, part: RankedPart): Promise<readonly RankedAccount[]> {
  const rank = ranks[part.by];
  let query = store.db
    .selectFrom('accounts')
    .leftJoin('balances', 'balances.account_id', 'accounts.id')
    .selectAll('accounts')
    .select(sql<string>`cast(${rank} as text)`.as('rank'))
    .orderBy(sql`${rank} desc`)
    .orderBy('accounts.name')
    .limit(part.limit);
  if (part.name !== undefined) query = query.where('name', '=', part.name);
  if (part.search !== undefined) query = query.where(nameHas(part.search));
  if (part.status !== undefined) query = query.where('status', '=', part.status);
  if (part.packageName !== undefined) query = query.where('package', '=', part.packageName);
  if (part.after) {
    const [after, name] = part.after;
    const last = sql`cast(${after} as bigint)`;
    query = query.where(sql<boolean>`(${rank} < ${last} or (${rank} = ${last} and accounts.name > ${name}))`);
  }
  return (await query.execute()).map(({ rank: rankText, ...row }) => ({ account: fromRow(row), rank: rankText }));
}

const ranks = {
  balance: sql<number>`coalesce(balances.granted + balances.topped_up, 0)`,
  lowest_balance: sql<number>`-coalesce(balances.granted + balances.topped_up, 0)`,
  last_used: sql<number>`coalesce((select max(last_used_at) from api_keys where api_keys.account_id = accounts.id), 0)`,
} as const;
