import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { engineOf } from './engine.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { ledger } from './migrations/0002-ledger.ts';
import { keyTerms } from './migrations/0003-key-terms.ts';
import { usage } from './migrations/0004-usage.ts';
import { admin } from './migrations/0005-admin.ts';
import { requestLives } from './migrations/0006-request-lives.ts';
import { modelCalls } from './migrations/0007-model-calls.ts';
import { consoleTables } from './migrations/0008-console.ts';
import { overview } from './migrations/0009-overview.ts';
import { oneUseCodes } from './migrations/0010-one-use-codes.ts';
import { holds } from './migrations/0011-holds.ts';
import { askedWhole } from './migrations/0012-asked-whole.ts';
import { providerTools } from './migrations/0013-provider-tools.ts';
import { batchSums } from './migrations/0014-batch-sums.ts';
import { keptResponses } from './migrations/0016-kept-responses.ts';
import { places } from './migrations/0017-places.ts';
import { replyClaims } from './migrations/0018-reply-claims.ts';
import { cacheSavings } from './migrations/0019-cache-savings.ts';
import { modelPromises } from './migrations/0020-model-promises.ts';
import { notices } from './migrations/0021-notices.ts';
import { redemptionCodes } from './migrations/0022-redemption-codes.ts';
import { usageSlices } from './migrations/0023-usage-slices.ts';
import { securityEvents } from './migrations/0024-security-events.ts';
import { keyLimits } from './migrations/0025-key-limits.ts';
import { displayNames } from './migrations/0026-display-names.ts';
import { statements } from './migrations/0027-statements.ts';
import { payments } from './migrations/0028-payments.ts';
import { guessCounts } from './migrations/0029-guess-counts.ts';
import { usageSliceDays } from './migrations/0030-usage-slice-days.ts';
import { passingKeys } from './migrations/0031-passing-keys.ts';
import { statementZones } from './migrations/0032-statement-zones.ts';
import { newcomers } from './migrations/0033-newcomers.ts';
import { digests } from './migrations/0034-digests.ts';
import { performance } from './migrations/0035-performance.ts';
import { storedBodies } from './migrations/0036-stored-bodies.ts';
import { deletedBodies } from './migrations/0037-deleted-bodies.ts';
import { earlyPaymentNews } from './migrations/0038-early-payment-news.ts';
import { requestsOfUsers } from './migrations/0039-requests-of-users.ts';
import { nearbyRows } from './migrations/0040-nearby-rows.ts';
import { digestSecrets } from './migrations/0041-digest-secrets.ts';
import { takeLock } from './transactions.ts';

/**
 * Every migration, under the name that the store records. They run in the order of their names and are never edited.
 * Each only adds, and its additions are optional, because processes of the previous version keep running while the
 * tables change.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
  '0002-ledger': ledger,
  '0003-key-terms': keyTerms,
  '0004-usage': usage,
  '0005-admin': admin,
  '0006-request-lives': requestLives,
  '0007-model-calls': modelCalls,
  '0008-console': consoleTables,
  '0009-overview': overview,
  '0010-one-use-codes': oneUseCodes,
  '0011-holds': holds,
  '0012-asked-whole': askedWhole,
  '0013-provider-tools': providerTools,
  '0014-batch-sums': batchSums,
  '0016-kept-responses': keptResponses,
  '0017-places': places,
  '0018-reply-claims': replyClaims,
  '0019-cache-savings': cacheSavings,
  '0020-model-promises': modelPromises,
  '0021-notices': notices,
  '0022-redemption-codes': redemptionCodes,
  '0023-usage-slices': usageSlices,
  '0024-security-events': securityEvents,
  '0025-key-limits': keyLimits,
  '0026-display-names': displayNames,
  '0027-statements': statements,
  '0028-payments': payments,
  '0029-guess-counts': guessCounts,
  '0030-usage-slice-days': usageSliceDays,
  '0031-passing-keys': passingKeys,
  '0032-statement-zones': statementZones,
  '0033-newcomers': newcomers,
  '0034-digests': digests,
  '0035-performance': performance,
  '0036-stored-bodies': storedBodies,
  '0037-deleted-bodies': deletedBodies,
  '0038-early-payment-news': earlyPaymentNews,
  '0039-requests-of-users': requestsOfUsers,
  '0040-nearby-rows': nearbyRows,
  '0041-digest-secrets': digestSecrets,
};

/**
 * Runs all pending migrations and returns their names. They run in one transaction, and a lock admits one process at a
 * time, however many start at once.
 */
export async function migrate(db: Kysely<Database>): Promise<readonly string[]> {
  return db.transaction().execute(async (tx) => {
    if (engineOf(db) === 'postgres') await takeLock(tx, 'migrate');
    const done = await migrationsOf(tx);
    refuseNewer(done);
    // The migrator reads the schema of every table several times. Nearly every start has nothing to migrate.
    if (Object.keys(migrations).every((name) => done.has(name))) return [];
    const migrator = new Migrator({ db: tx, provider: { getMigrations: () => Promise.resolve(migrations) } });
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
function refuseNewer(done: ReadonlySet<string>): void {
  const unknown = [...done].find((name) => !(name in migrations));
  if (unknown === undefined) return;
  throw new Error(
    `the store was migrated by a newer version of the gateway (it has the migration ${unknown}); run that version or restore an older backup`,
  );
}
