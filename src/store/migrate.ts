import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { ledger } from './migrations/0002-ledger.ts';
import { usage } from './migrations/0004-usage.ts';

/** Every migration under the name it is remembered by; they run in the order of their names and are never edited. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
  '0002-ledger': ledger,
  '0004-usage': usage,
};

/** Brings the tables up to this version. All pending migrations land in one transaction, however many processes start at once. */
export async function migrate(db: Kysely<Database>): Promise<void> {
  await refuseNewer(db);
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** A store made by a newer version may mean things this one would misread. */
async function refuseNewer(db: Kysely<Database>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'kysely_migration')) return;
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  const unknown = rows.find((row) => !(row.name in migrations));
  if (!unknown) return;
  throw new Error(
    `the store was made by a newer version of the gateway (it has the migration ${unknown.name}); run that version or restore an older backup`,
  );
}
