import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { publishChange } from '../cluster/change-feed.ts';
import type { AccountSpec } from '../config/schema/account.ts';
import { defaultTimeZone } from '../core/time/calendar-day.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../store/database.ts';
import type { Source } from '../store/tables/columns.ts';
import type { Store } from '../store/store.ts';
import { type AccountId, newAccountId } from './ids.ts';

export interface Account {
  readonly id: AccountId;
  /** Name in files and commands. It never changes. */
  readonly name: string;
  /** Name for people, if it differs from `name`. */
  readonly displayName: string | undefined;
  readonly packageName: string;
  readonly status: 'active' | 'suspended';
  /** Decimal text, granted when the account was created. */
  readonly credit: string | undefined;
  /** Time zone in which its days, weeks and months begin. */
  readonly timeZone: string;
  readonly source: Source;
  readonly createdAt: number;
}

export interface AccountsPart {
  readonly name?: string;
  /** A part of the name, ignoring case. */
  readonly search?: string;
  readonly status?: Account['status'];
  readonly packageName?: string;
  readonly after?: string;
  readonly limit?: number;
}

interface NewAccountTerms {
  readonly name: string;
  readonly displayName?: string;
  readonly packageName: string;
  readonly credit?: string;
  readonly timeZone?: string;
}

/** Every change is published to the running processes, in its own transaction. */
export function accounts(store: Store, clock: Clock) {
  return {
    create: ({ name, displayName, packageName, credit, timeZone }: NewAccountTerms) =>
      store.transaction((tx) => {
        const zone = timeZone === undefined ? {} : { time_zone: timeZone };
        const terms = { display_name: displayName ?? null, package: packageName, credit: credit ?? null, ...zone };
        return insert(tx, clock, { name, ...terms, source: 'store' });
      }),
    /** Sorted by name. At most `limit` accounts, starting after the name `after`. */
    async list(part: AccountsPart = {}): Promise<readonly Account[]> {
      const { name, search, status, packageName, after, limit } = part;
      let query = store.db.selectFrom('accounts').selectAll().orderBy('name');
      if (name !== undefined) query = query.where('name', '=', name);
      if (search !== undefined) query = query.where(nameHas(search));
      if (status !== undefined) query = query.where('status', '=', status);
      if (packageName !== undefined) query = query.where('package', '=', packageName);
      if (after !== undefined) query = query.where('name', '>', after);
      if (limit !== undefined) query = query.limit(limit);
      return (await query.execute()).map(fromRow);
    },
    /** Finds an account by id or name. */
    async find(reference: string): Promise<Account | undefined> {
      const row = await store.db
        .selectFrom('accounts')
        .selectAll()
        .where((account) => account.or([account('id', '=', reference), account('name', '=', reference)]))
        .executeTakeFirst();
      return row && fromRow(row);
    },
    /** Its keys are treated as unknown from now on. No data is lost. `terminateStreams` also aborts running requests. */
    suspend: (id: AccountId, { terminateStreams = false }: { terminateStreams?: boolean } = {}) =>
      store.transaction(async (tx) => {
        await update(tx, id, { status: 'suspended' });
        if (terminateStreams) await publishChange(tx, { topic: 'cut', subject: id });
      }),
    resume: (id: AccountId) => store.transaction((tx) => update(tx, id, { status: 'active' })),
    setPackage: (id: AccountId, packageName: string) =>
      store.transaction((tx) => update(tx, id, { package: packageName })),
    /** Changes the name for people. `undefined`: `name` is shown. */
    rename: (id: AccountId, displayName: string | undefined) =>
      store.transaction((tx) => update(tx, id, { display_name: displayName ?? null })),
    setTimeZone: (id: AccountId, timeZone: string) =>
      store.transaction((tx) => update(tx, id, { time_zone: timeZone })),
    /**
     * Creates the missing accounts of the configuration file, and updates the package and time zone of those that a file
     * created. Status and credit stay unchanged, and so do accounts created elsewhere.
     */
    async ensure(specs: readonly AccountSpec[], db?: Kysely<Database>): Promise<void> {
      const work = async (handle: Kysely<Database>): Promise<void> => {
        for (const spec of specs) await ensureOne(handle, clock, spec);
      };
      await (db ? work(db) : store.transaction(work, { lock: 'accounts' }));
    },
  };
}

async function insert(db: Kysely<Database>, clock: Clock, account: NewAccount): Promise<Account> {
  const row = { ...account, id: newAccountId(), status: 'active' as const, created_at: clock.now() };
  await db.insertInto('accounts').values(row).execute();
  await publishChange(db, { topic: 'account', subject: row.id });
  return fromRow({ time_zone: null, ...row });
}

async function update(db: Kysely<Database>, id: string, change: Partial<AccountRow>): Promise<void> {
  await db.updateTable('accounts').set(change).where('id', '=', id).execute();
  await publishChange(db, { topic: 'account', subject: id });
}

async function ensureOne(db: Kysely<Database>, clock: Clock, spec: AccountSpec): Promise<void> {
  const { name, displayName: display_name = null, package: packageName, credit = null, timeZone } = spec;
  const fields = { package: packageName, ...(timeZone !== undefined && { time_zone: timeZone }) };
  const existing = await db.selectFrom('accounts').selectAll().where('name', '=', name).executeTakeFirst();
  if (!existing) await insert(db, clock, { name, display_name, credit, source: 'file', ...fields });
  else if (existing.source === 'file' && differs(existing, fields)) await update(db, existing.id, fields);
}

type AccountRow = Selectable<Database['accounts']>;
type NewAccount = Omit<AccountRow, 'id' | 'status' | 'created_at' | 'time_zone'> & { readonly time_zone?: string };

function differs(row: AccountRow, fields: Pick<AccountRow, 'package'> & { readonly time_zone?: string }): boolean {
  return row.package !== fields.package || (fields.time_zone !== undefined && row.time_zone !== fields.time_zone);
}

/** Whether one of the names of an account contains the text, ignoring case. */
export function nameHas(text: string): RawBuilder<boolean> {
  const pattern = `%${text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')}%`;
  const both = sql`accounts.name || ' ' || coalesce(accounts.display_name, '')`;
  return sql<boolean>`lower(${both}) like ${pattern} escape '\\'`;
}

/** The name for people, as a column `name`. */
export const shownName = sql<string>`coalesce(accounts.display_name, accounts.name)`.as('name');

export function fromRow(row: AccountRow): Account {
  return {
    id: row.id as AccountId,
    name: row.name,
    displayName: row.display_name ?? undefined,
    packageName: row.package,
    status: row.status,
    credit: row.credit ?? undefined,
    timeZone: row.time_zone ?? defaultTimeZone,
    source: row.source,
    createdAt: row.created_at,
  };
}

interface RankedPart extends Omit<AccountsPart, 'after'> {
  readonly by: keyof typeof ranks;
  /** The time of the charges that `spend` adds up, in whole hours. */
  readonly spentWithin: { readonly from: number; readonly to: number };
  /** Rank and name of the last account of the previous page. */
  readonly after?: readonly [rank: string, name: string];
  readonly limit: number;
}

interface RankedAccount {
  readonly account: Account;
  /** A whole number as text. */
  readonly rank: string;
}

/**
 * Accounts by balance, spend or last use, highest rank first. It reads all accounts, of which there are few, and for
 * `spend` the hourly sums of their charges.
 */
export async function rankedAccounts(store: Store, part: RankedPart): Promise<readonly RankedAccount[]> {
  const rank = ranks[part.by];
  const { from, to } = part.by === 'spend' || part.by === 'lowest_spend' ? part.spentWithin : noTime;
  const spending = store.db
    .selectFrom('spend_hours')
    .select(['account_id', sql<number>`sum(amount)`.as('spent')])
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .groupBy('account_id')
    .as('spending');
  let query = store.db
    .selectFrom('accounts')
    .leftJoin('balances', 'balances.account_id', 'accounts.id')
    .leftJoin(spending, 'spending.account_id', 'accounts.id')
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

const noTime = { from: 0, to: 0 };

const ranks = {
  balance: sql<number>`coalesce(balances.granted + balances.topped_up, 0)`,
  lowest_balance: sql<number>`-coalesce(balances.granted + balances.topped_up, 0)`,
  spend: sql<number>`cast(coalesce(spending.spent, 0) as bigint)`,
  lowest_spend: sql<number>`cast(-coalesce(spending.spent, 0) as bigint)`,
  last_used: sql<number>`coalesce((select max(last_used_at) from api_keys where api_keys.account_id = accounts.id), 0)`,
} as const;
