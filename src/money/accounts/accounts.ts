import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import {
  lockLimits,
  requireOrganisation,
  setAccountLimits,
  setBilling,
  setOrganisation,
} from '../billing/budgets/limit-changes.ts';
import { publishChange } from '../../platform/cluster/change-feed.ts';
import type { AccountSpec } from '../../platform/config/schema/account.ts';
import type { OrganisationSpec } from '../../platform/config/schema/organisation.ts';
import { type Limit, limitsColumn, limitsFrom } from '../../core/limit.ts';
import { spansKept, zoneOf } from '../../core/time/cap-period.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Source } from '../../platform/store/tables/columns.ts';
import type { Store } from '../../platform/store/store.ts';
import { contains } from '../../platform/store/text-search.ts';
import { type AccountId, newAccountId, type OrganisationId } from './ids.ts';
import { revokeKeysOfStrangers } from './former-members.ts';
import { ensureOrganisations } from './organisations.ts';

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
  /** Spans of limits that end before the time zone takes effect; see `RenewalZone`. */
  readonly keptSpans: string | undefined;
  /** A postpaid account has no floor: its negative balance is the open amount. */
  readonly billing: 'prepaid' | 'postpaid';
  /** Limits on the spend of its keys together. */
  readonly limits: readonly Limit[];
  readonly organisationId: OrganisationId | undefined;
  readonly source: Source;
  readonly createdAt: number;
}

export interface AccountsPart {
  readonly name?: string;
  /** A part of the name, ignoring case. */
  readonly search?: string;
  readonly status?: Account['status'];
  readonly packageName?: string;
  readonly organisationId?: string;
  readonly after?: string;
  readonly limit?: number;
}

/** Fields that are left out stay unchanged. `null` removes a value. */
interface AccountChange {
  readonly packageName?: string | undefined;
  readonly displayName?: string | null | undefined;
  readonly timeZone?: string | undefined;
  readonly billing?: Account['billing'] | undefined;
  readonly limits?: readonly Limit[] | undefined;
  readonly organisationId?: OrganisationId | null | undefined;
}

interface NewAccountTerms extends AccountChange {
  readonly name: string;
  readonly packageName: string;
  readonly credit?: string | undefined;
}

/** Every change is published to the running processes, in its own transaction. */
export function accounts(store: Store, clock: Clock) {
  return {
    create: ({ name, packageName, credit, ...terms }: NewAccountTerms) =>
      store.transaction((tx) =>
        insert(tx, clock, { name, package: packageName, credit: credit ?? null, source: 'store', ...columnsOf(terms) }),
      ),
    /** Sorted by name. At most `limit` accounts, starting after the name `after`. */
    async list(part: AccountsPart = {}): Promise<readonly Account[]> {
      const { name, search, status, packageName, organisationId, after, limit } = part;
      let query = store.db.selectFrom('accounts').selectAll().orderBy('name');
      if (name !== undefined) query = query.where('name', '=', name);
      if (search !== undefined) query = query.where(nameHas(search));
      if (status !== undefined) query = query.where('status', '=', status);
      if (packageName !== undefined) query = query.where('package', '=', packageName);
      if (organisationId !== undefined) query = query.where('organisation_id', '=', organisationId);
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
    change: (id: AccountId, change: AccountChange) =>
      store.transaction((tx) => changeColumns(tx, clock, { id, columns: columnsOf(change) })),
    /**
     * Creates the missing organisations and accounts of the configuration file, and updates those that a file created:
     * fields that the file leaves out stay unchanged. Status and credit stay, and so do accounts created elsewhere.
     */
    ensure: (specs: readonly AccountSpec[], organisations: readonly OrganisationSpec[] = []) =>
      store.transaction(
        async (tx) => {
          await lockChanges(tx, specs, organisations);
          await ensureOrganisations(tx, clock, organisations);
          for (const spec of specs) await ensureOne(tx, clock, spec);
        },
        { lock: 'accounts' },
      ),
  };
}

async function insert(db: Kysely<Database>, clock: Clock, account: NewAccount): Promise<Account> {
  if (account.organisation_id) await requireOrganisation(db, account.organisation_id);
  const row = { ...account, id: newAccountId(), status: 'active' as const, created_at: clock.now() };
  const inserted = await db.insertInto('accounts').values(row).returningAll().executeTakeFirstOrThrow();
  if (inserted.billing === 'postpaid') await setBilling(db, row.id, { billing: 'postpaid', now: clock.now() });
  await publishChange(db, { topic: 'account', subject: row.id });
  return fromRow(inserted);
}

async function update(db: Kysely<Database>, id: string, change: Partial<AccountRow>): Promise<void> {
  if (Object.keys(change).length === 0) return;
  await db.updateTable('accounts').set(change).where('id', '=', id).execute();
  await publishChange(db, { topic: 'account', subject: id });
}

interface ChangedColumns {
  readonly id: string;
  readonly columns: Partial<AccountRow>;
}

/** An account that leaves an organisation stays on the bills of the months before. */
async function changeColumns(db: Kysely<Database>, clock: Clock, { id, columns }: ChangedColumns): Promise<void> {
  const before = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
  const changed = Object.entries(columns).filter(([name, value]) => before?.[name as keyof AccountRow] !== value);
  if (!before || changed.length === 0) return;
  const moves = columns.organisation_id !== undefined && columns.organisation_id !== before.organisation_id;
  const now = clock.now();
  const { organisation_id: left, organisation_since: since, created_at: createdAt } = before;
  if (moves && left !== null) {
    const stay = { organisation_id: left, account_id: id, joined_at: since ?? createdAt, left_at: now };
    await db
      .insertInto('organisation_departures')
      .values(stay)
      .onConflict((same) => same.doNothing())
      .execute();
  }
  const { billing, limits, organisation_id: joined, ...others } = Object.fromEntries(changed) as Partial<AccountRow>;
  if (billing !== undefined) await setBilling(db, id, { billing, now });
  if (limits !== undefined) await setAccountLimits(db, id, limitsFrom(limits));
  if (joined !== undefined) await setOrganisation(db, id, joined);
  const kept = others.time_zone !== undefined && { kept_spans: spansKept(fromRow(before), now) };
  await update(db, id, { ...others, ...kept, ...(moves && { organisation_since: now }) });
  if (moves) await revokeKeysOfStrangers(db, clock, [id]);
}

/** Locks what the specs change, in the order of locks. The changes themselves come in the order of the file. */
async function lockChanges(
  db: Kysely<Database>,
  specs: readonly AccountSpec[],
  organisations: readonly OrganisationSpec[],
): Promise<void> {
  const specOf = new Map(specs.map((spec) => [spec.name, spec]));
  const limitsOf = new Map(organisations.map(({ name, limits }) => [name, limits]));
  const groups = await db.selectFrom('organisations').select(['id', 'name', 'limits']).execute();
  const idOf = new Map(groups.map(({ id, name }) => [name, id]));
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'name', 'billing', 'limits', 'organisation_id'])
    .where('source', '=', 'file')
    .execute();
  const changed = rows.filter(({ name, billing, limits, organisation_id: before }) => {
    const spec = specOf.get(name);
    if (!spec) return false;
    const joined = spec.organisation === undefined ? before : idOf.get(spec.organisation);
    const isOther = spec.limits !== undefined && limitsColumn(spec.limits) !== limits;
    return isOther || joined !== before || (spec.billing ?? billing) !== billing;
  });
  const joined = changed.flatMap(({ name, organisation_id: before }) => [
    before ?? [],
    idOf.get(specOf.get(name)?.organisation ?? '') ?? [],
  ]);
  const limited = groups.filter(({ name, limits }) => {
    const wanted = limitsOf.get(name);
    return wanted !== undefined && limitsColumn(wanted) !== limits;
  });
  const ids = new Set([...joined.flat(), ...limited.map(({ id }) => id)]);
  await lockLimits(db, { accounts: changed.map(({ id }) => id), organisations: [...ids] });
}

async function ensureOne(db: Kysely<Database>, clock: Clock, spec: AccountSpec): Promise<void> {
  const { name, displayName, credit = null, package: packageName, organisation, ...terms } = spec;
  const organisationId = organisation === undefined ? undefined : await organisationNamed(db, organisation);
  const columns = columnsOf({ ...terms, packageName, organisationId });
  const existing = await db.selectFrom('accounts').selectAll().where('name', '=', name).executeTakeFirst();
  if (!existing) {
    const shown = columnsOf({ displayName });
    await insert(db, clock, { name, package: packageName, credit, source: 'file', ...columns, ...shown });
  } else if (existing.source === 'file') await changeColumns(db, clock, { id: existing.id, columns });
}

/** A command ignores an invalid list of organisations, so the organisation may be missing. */
async function organisationNamed(db: Kysely<Database>, name: string): Promise<OrganisationId | undefined> {
  const row = await db.selectFrom('organisations').select('id').where('name', '=', name).executeTakeFirst();
  return row?.id as OrganisationId | undefined;
}

type AccountRow = Selectable<Database['accounts']>;
type NewAccount = Omit<Insertable<Database['accounts']>, 'id' | 'status' | 'created_at'>;

function columnsOf(change: AccountChange): Partial<AccountRow> {
  const { packageName, displayName, timeZone, billing, limits, organisationId } = change;
  return {
    ...(packageName !== undefined && { package: packageName }),
    ...(displayName !== undefined && { display_name: displayName }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(billing !== undefined && { billing }),
    ...(limits !== undefined && { limits: limitsColumn(limits) }),
    ...(organisationId !== undefined && { organisation_id: organisationId }),
  };
}

/** Whether one of the names of an account contains the text, ignoring case. */
export function nameHas(text: string): RawBuilder<boolean> {
  return contains(sql`accounts.name || ' ' || coalesce(accounts.display_name, '')`, text);
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
    ...zoneOf(row.time_zone, row.kept_spans),
    billing: row.billing,
    limits: limitsFrom(row.limits),
    organisationId: (row.organisation_id ?? undefined) as OrganisationId | undefined,
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
  if (part.organisationId !== undefined) query = query.where('organisation_id', '=', part.organisationId);
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
