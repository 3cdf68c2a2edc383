import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Kysely, sql, type TableMetadata } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import { verifyLedger } from '../../money/billing/ledger/verify.ts';
import type { Database } from './database.ts';
import { migrate, type Migrations, migrations } from './migrate.ts';
import { postgresDialect } from './postgres/postgres.ts';
import { postgresPool } from './postgres/postgres-pool.ts';
import { openSqlite } from './sqlite/sqlite-database.ts';
import { sqliteDialect } from './sqlite/sqlite-dialect.ts';
import { type StoreLocation, storeOn } from './store.ts';

/** A store as a released version left it. */
interface ReleasedStore {
  readonly lastMigration: string;
  /** The rows of each table; referenced tables come first. */
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** One file for each released version, such as `1.0.0.json`, with rows that the version wrote. */
const fixtures = globSync(join(import.meta.dirname, '../../../test/fixtures/store/releases/*.json')).toSorted();
/** The changelog has a heading for each release: its version and its date. */
const changelog = readFileSync(join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8');
const released = Array.from(
  changelog.matchAll(/^## (\d+\.\d+\.\d+\S*), \d{4}-\d{2}-\d{2}$/gm),
  ([, version = '']) => version,
).toSorted();

test(`every released version has a fixture; released so far: ${released.join(', ') || 'none'}`, () => {
  expect(fixtures.map((file) => basename(file, '.json'))).toEqual(released);
});

const madeUpRelease: ReleasedStore = {
  lastMigration: Object.keys(migrations).at(-1) ?? '',
  rows: { settings: [{ name: 'a', value: 'b' }] },
};

/** The migrations of this version and of a made-up next one. */
function withNext(up: (db: Kysely<unknown>) => Promise<unknown>): Migrations {
  return { ...migrations, '9999-next': { up: async (db: Kysely<unknown>) => void (await up(db)) } };
}

const addOptional = (db: Kysely<unknown>) => sql`alter table settings add column note text`.execute(db);

forEachStore(({ place }) => {
  const opened: Kysely<Database>[] = [];
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.destroy();
  });

  async function emptyStore(): Promise<Kysely<Database>> {
    const db = new Kysely<Database>({ dialect: await dialectOf(place()) });
    opened.push(db);
    return db;
  }

  test.for(fixtures)('a store of the release in %s is upgraded', async (file) => {
    const db = await emptyStore();
    await restore(db, JSON.parse(readFileSync(file, 'utf8')) as ReleasedStore, migrations);
    await migrate(db);
    expect((await verifyLedger(storeOn({ db }))).isSound).toBe(true);
  });

  test('a new version runs its own migrations once, and keeps the rows of the store', async () => {
    const db = await emptyStore();
    const next = withNext(addOptional);
    await restore(db, madeUpRelease, next);
    expect(await migrate(db, next)).toEqual(['9999-next']);
    expect(await migrate(db, next)).toEqual([]);
    expect(await db.selectFrom('settings').selectAll().execute()).toEqual([{ name: 'a', value: 'b', note: null }]);
  });

  test('a failed migration changes nothing', async () => {
    const db = await emptyStore();
    await restore(db, madeUpRelease, migrations);
    const failing = withNext(async (tx) => {
      await addOptional(tx);
      throw new Error('the disk is full');
    });
    await expect(migrate(db, failing)).rejects.toThrow('the disk is full');
    expect(await db.selectFrom('settings').selectAll().execute()).toEqual([{ name: 'a', value: 'b' }]);
    expect(await migrate(db)).toEqual([]);
  });

  test('the previous version rejects a store that a new version has migrated', async () => {
    const db = await emptyStore();
    await migrate(db, withNext(addOptional));
    await expect(migrate(db)).rejects.toThrow('the migration 9999-next, which this version does not know');
  });

  test('previous versions can write every table after the migrations of later ones', async () => {
    await expect(writeAsEachVersion(await emptyStore(), withNext(addOptional))).resolves.toBeUndefined();
  });

  test('a migration after which the previous version cannot write is found', async () => {
    const breaking = withNext(async (tx) => {
      await sql`drop table settings`.execute(tx);
      await sql`create table settings (name text primary key, value text, note text not null)`.execute(tx);
    });
    await expect(writeAsEachVersion(await emptyStore(), breaking)).rejects.toThrow('cannot write settings');
  });
}, 'nothing');

async function dialectOf({ data = '', database }: StoreLocation) {
  if (database === undefined) return sqliteDialect(await openSqlite(join(data, 'gateway.db')));
  return postgresDialect(postgresPool({ database, connectionsMax: 2, statementMs: 10_000 }));
}

async function restore(db: Kysely<Database>, { lastMigration, rows }: ReleasedStore, known: Migrations): Promise<void> {
  await migrateTo(db, lastMigration, known);
  for (const [table, values] of Object.entries(rows)) {
    await db
      .withTables<Record<string, object>>()
      .insertInto(table)
      .values([...values])
      .execute();
  }
}

async function migrateTo(db: Kysely<Database>, name: string, known: Migrations): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(known) } });
  const { error } = await migrator.migrateTo(name);
  expect(error).toBeUndefined();
}

/** Inserts a row into every table like each earlier version, which has only its own columns, after all migrations. */
async function writeAsEachVersion(db: Kysely<Database>, known: Migrations): Promise<void> {
  const versions = new Map<string, readonly TableMetadata[]>();
  for (const name of Object.keys(known).toSorted()) {
    await migrateTo(db, name, known);
    versions.set(name, referencedFirst(await db.introspection.getTables()));
  }
  await db.transaction().execute(async (tx) => {
    for (const [version, tables] of versions) {
      for (const table of tables) {
        await insertRow(tx, table, version).catch((cause: unknown) => {
          throw new Error(`a version with ${version} cannot write ${table.name}`, { cause });
        });
      }
    }
  });
}

function referencedFirst(tables: readonly TableMetadata[]): readonly TableMetadata[] {
  const first = ['console_users', 'transfers', 'accounts', 'organisations'];
  return tables
    .filter(({ name }) => !name.startsWith('kysely_') && !name.startsWith('sqlite_'))
    .toSorted((a, b) => first.indexOf(b.name) - first.indexOf(a.name));
}

/** All texts of a row are the version, so that rows can refer to each other. */
async function insertRow(db: Kysely<Database>, { name, columns }: TableMetadata, version: string): Promise<void> {
  const given = columns.filter(({ isAutoIncrementing, hasDefaultValue }) => !isAutoIncrementing && !hasDefaultValue);
  await sql`insert into ${sql.table(name)} (${sql.join(given.map((column) => sql.ref(column.name)))})
    values (${sql.join(given.map(({ dataType }) => valueOf(dataType, version)))})`.execute(db);
}

function valueOf(dataType: string, text: string): string | number | boolean {
  if (/time|date/i.test(dataType)) return '2026-01-01T00:00:00Z';
  if (/bool/i.test(dataType)) return dataType === 'bool' ? true : 1;
  return /text|char/i.test(dataType) ? text : 1;
}
