import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { engineOf } from './engine.ts';
import { baseline } from './migrations/0001-baseline.ts';
import { takeLock } from './transactions.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/**
 * Every migration, under the name that the store records. They run in the order of their names. From the first release
 * on, the list is append-only, and released migrations are never edited. Each only adds, and its additions are
 * optional, because processes of the previous version keep running while the tables change.
 */
export const migrations: Migrations = {
  '0001-baseline': baseline,
};

/** Runs pending migrations in one transaction and returns their names. A lock admits one process at a time. */
export async function migrate(db: Kysely<Database>, known = migrations): Promise<readonly string[]> {
  return db.transaction().execute(async (tx) => {
    if (engineOf(db) === 'postgres') await takeLock(tx, 'migrate');
    const done = await migrationsOf(tx);
    refuseNewer(done, known);
    // The migrator reads the schema of every table several times. Nearly every start has nothing to migrate.
    if (Object.keys(known).every((name) => done.has(name))) return [];
    const migrator = new Migrator({ db: tx, provider: { getMigrations: () => Promise.resolve(known) } });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error) throw error;
    return results.map(({ migrationName }) => migrationName);
  });
}

/** The migrations that a store has run; none if it is new. */
async function migrationsOf(db: Kysely<Database>): Promise<ReadonlySet<string>> {
  const memory =
    engineOf(db) === 'postgres'
      ? sql<{ name: string | null }>`select to_regclass('kysely_migration')::text as name`
      : sql<{ name: string | null }>`select name from sqlite_master where name = 'kysely_migration'`;
  if (!(await memory.execute(db)).rows[0]?.name) return new Set();
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/** Throws if a newer version has migrated the store: this version could misread its data. */
function refuseNewer(done: ReadonlySet<string>, known: Migrations): void {
  const unknown = [...done].find((name) => !(name in known));
  if (unknown === undefined) return;
  throw new Error(
    `the store has the migration ${unknown}, which this version does not know; a newer version migrated it, or a build before the first release: run that version, restore an older backup or use an empty store`,
  );
}
