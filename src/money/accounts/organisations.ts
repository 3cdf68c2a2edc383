import { type Kysely, type Selectable, sql } from 'kysely';
import { accountsOf, lockLimits, setOrganisationLimits } from '../billing/budgets/limit-changes.ts';
import { publishChange } from '../../platform/cluster/change-feed.ts';
import type { OrganisationSpec } from '../../platform/config/schema/organisation.ts';
import { type Limit, limitsColumn, limitsFrom } from '../../core/limit.ts';
import { spansKept, zoneOf } from '../../core/time/cap-period.ts';
import type { Clock } from '../../core/time/clock.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Source } from '../../platform/store/tables/columns.ts';
import type { Store } from '../../platform/store/store.ts';
import { contains } from '../../platform/store/text-search.ts';
import { membersLock } from './organisation-members.ts';
import { newOrganisationId, type OrganisationId } from './ids.ts';

/** A group of accounts with common models, an optional limit on their spend together, and one bill. */
export interface Organisation {
  readonly id: OrganisationId;
  /** Name in files and commands. It never changes. */
  readonly name: string;
  /** Name for people, if it differs from `name`. */
  readonly displayName: string | undefined;
  /** Models to which its accounts are limited; `undefined` means no limit of its own. */
  readonly models: readonly string[] | undefined;
  /** Limits on the spend of all its accounts together. */
  readonly limits: readonly Limit[];
  /** Time zone in which the periods of its limits begin. */
  readonly timeZone: string;
  /** Spans of limits that end before the time zone takes effect; see `RenewalZone`. */
  readonly keptSpans: string | undefined;
  readonly source: Source;
  readonly createdAt: number;
}

interface OrganisationsPart {
  /** A part of the name, ignoring case. */
  readonly search?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number;
}

/** Fields that are left out stay unchanged. `null` removes a value. */
export interface OrganisationChange {
  readonly displayName?: string | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly limits?: readonly Limit[] | undefined;
  readonly timeZone?: string | undefined;
}

/** Every change is published to the running processes, in its own transaction. */
export function organisations(store: Store, clock: Clock) {
  return {
    create: (terms: OrganisationChange & { readonly name: string }) =>
      store.transaction((tx) => insert(tx, clock, { ...terms, source: 'store' })),
    /** Sorted by name. */
    async list({ search, after, limit }: OrganisationsPart = {}): Promise<readonly Organisation[]> {
      let query = store.db.selectFrom('organisations').selectAll().orderBy('name');
      if (search !== undefined) query = query.where(contains(sql`name || ' ' || coalesce(display_name, '')`, search));
      if (after !== undefined) query = query.where('name', '>', after);
      if (limit !== undefined) query = query.limit(limit);
      return (await query.execute()).map(fromRow);
    },
    /** Finds an organisation by id or name. */
    find: (reference: string) => findOrganisation(store.db, reference),
    change: (id: OrganisationId, change: OrganisationChange) =>
      store.transaction((tx) => update(tx, clock, { id, change })),
    /** Returns the number of its accounts. It is removed only if it has none. */
    remove: (id: OrganisationId) =>
      store.transaction(async (tx): Promise<number> => {
        // No account can join from here on.
        await lockLimits(tx, { accounts: [], organisations: [id] });
        const { length: count } = await accountsOf(tx, [id]);
        if (count > 0) return count;
        await tx.deleteFrom('console_links').where('organisation_id', '=', id).execute();
        await tx.deleteFrom('organisation_members').where('organisation_id', '=', id).execute();
        await tx.deleteFrom('organisations').where('id', '=', id).execute();
        return 0;
      }, membersLock(id)),
  };
}

export async function findOrganisation(db: Kysely<Database>, reference: string): Promise<Organisation | undefined> {
  const row = await db
    .selectFrom('organisations')
    .selectAll()
    .where((each) => each.or([each('id', '=', reference), each('name', '=', reference)]))
    .executeTakeFirst();
  return row && fromRow(row);
}

/**
 * Creates the missing organisations of the configuration file, and updates those that a file created: fields that the
 * file leaves out stay unchanged.
 */
export async function ensureOrganisations(
  db: Kysely<Database>,
  clock: Clock,
  specs: readonly OrganisationSpec[],
): Promise<void> {
  for (const { displayName, ...spec } of specs) {
    const existing = await db.selectFrom('organisations').selectAll().where('name', '=', spec.name).executeTakeFirst();
    if (!existing) await insert(db, clock, { ...spec, displayName, source: 'file' });
    else if (existing.source === 'file') {
      const isChanged = Object.entries(columnsOf(spec)).some(
        ([name, value]) => existing[name as keyof typeof existing] !== value,
      );
      if (isChanged) await update(db, clock, { id: existing.id, change: spec });
    }
  }
}

interface NewOrganisation extends OrganisationChange {
  readonly name: string;
  readonly source: Source;
}

async function insert(db: Kysely<Database>, clock: Clock, terms: NewOrganisation): Promise<Organisation> {
  const { name, source, ...change } = terms;
  const empty = { display_name: null, models: null, limits: null, time_zone: null, kept_spans: null };
  const row = { id: newOrganisationId(), name, source, created_at: clock.now(), ...empty, ...columnsOf(change) };
  await db.insertInto('organisations').values(row).execute();
  return fromRow(row);
}

interface ChangedOrganisation {
  readonly id: string;
  readonly change: OrganisationChange;
}

/** Processes look up the keys of its accounts again, because a key carries the models and limits of its organisation. */
async function update(db: Kysely<Database>, clock: Clock, { id, change }: ChangedOrganisation): Promise<void> {
  const { limits, ...columns } = columnsOf(change);
  if (limits !== undefined) await setOrganisationLimits(db, id, change.limits ?? []);
  if (Object.keys(columns).length === 0) return;
  const before = await findOrganisation(db, id);
  const isMoved = before && columns.time_zone !== undefined && columns.time_zone !== before.timeZone;
  const kept = isMoved && { kept_spans: spansKept(before, clock.now()) };
  await db
    .updateTable('organisations')
    .set({ ...columns, ...kept })
    .where('id', '=', id)
    .execute();
  await publishChange(db, { topic: 'organisation', subject: id });
}

type OrganisationRow = Selectable<Database['organisations']>;

function columnsOf({ displayName, models, limits, timeZone }: OrganisationChange): Partial<OrganisationRow> {
  return {
    ...(displayName !== undefined && { display_name: displayName }),
    ...(models !== undefined && { models: models && JSON.stringify(models) }),
    ...(limits !== undefined && { limits: limitsColumn(limits) }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
  };
}

function fromRow(row: OrganisationRow): Organisation {
  return {
    id: row.id as OrganisationId,
    name: row.name,
    displayName: row.display_name ?? undefined,
    models: row.models === null ? undefined : (ownJson(row.models) as string[]),
    limits: limitsFrom(row.limits),
    ...zoneOf(row.time_zone, row.kept_spans),
    source: row.source,
    createdAt: row.created_at,
  };
}
