import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrations } from './migrate.ts';
import type { StoreLocation } from './store.ts';

/** State of a store, read without changing it. */
export interface StoreReport {
  /** Migrations of a newer version, or of a build before the first release. */
  readonly unknown: readonly string[];
  /** Migrations that this version would run when it starts. */
  readonly pending: readonly string[];
  /** Digest of the store's secret. `undefined` without a usable API key: then any secret will do. */
  readonly pepper: string | undefined;
  readonly latencyMs: number;
  /** How far the database's clock is ahead of ours. The embedded store has no clock of its own. */
  readonly aheadMs: number | undefined;
}

const timeoutMs = 5000;

/** Runs no migrations. Returns `undefined` if there is no store yet; throws if it cannot be read. */
export async function inspectStore({ data, database }: StoreLocation): Promise<StoreReport | undefined> {
  const startedMs = performance.now();
  const facts = database === undefined ? readSqlite(data) : await readPostgres(database);
  if (!facts) return undefined;
  const known = Object.keys(migrations);
  return {
    unknown: facts.migrations.filter((name) => !known.includes(name)),
    pending: known.filter((name) => !facts.migrations.includes(name)),
    pepper: facts.pepper,
    latencyMs: performance.now() - startedMs,
    aheadMs: facts.aheadMs,
  };
}

interface StoreFacts {
  readonly migrations: readonly string[];
  readonly pepper: string | undefined;
  readonly aheadMs: number | undefined;
}

const migrationNames = 'select name from kysely_migration order by name';
const pepperValue =
  "select value from settings where name = 'pepper' and exists (select 1 from api_keys where revoked_at is null)";

function readSqlite(data: string): StoreFacts | undefined {
  const file = join(data, 'gateway.db');
  if (!existsSync(file)) return undefined;
  const database = new DatabaseSync(file, { readOnly: true, timeout: timeoutMs });
  try {
    const [pepper] = database.prepare(pepperValue).all();
    return {
      migrations: database
        .prepare(migrationNames)
        .all()
        .map((row) => String(row['name'])),
      pepper: pepper && String(pepper['value']),
      aheadMs: undefined,
    };
  } finally {
    database.close();
  }
}

async function readPostgres(address: string): Promise<StoreFacts | undefined> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows: clock } = await client.query<{ now: string }>(
      'select extract(epoch from clock_timestamp()) * 1000 as now',
    );
    const aheadMs = Number(clock[0]?.now) - Date.now();
    const { rows: tables } = await client.query("select 1 from pg_tables where tablename = 'kysely_migration'");
    if (tables.length === 0) return { migrations: [], pepper: undefined, aheadMs };
    const { rows: names } = await client.query<{ name: string }>(migrationNames);
    const { rows: peppers } = await client.query<{ value: string }>(pepperValue);
    return { migrations: names.map(({ name }) => name), pepper: peppers[0]?.value, aheadMs };
  } finally {
    await client.end().catch(() => undefined);
  }
}
