import { join } from 'node:path';
import { Kysely, sql, type TableMetadata } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, expect, test } from 'vitest';
import { forEachStore } from '../../test/stores.ts';
import type { AccountId } from '../accounts/ids.ts';
import { balanceOf } from '../billing/balance.ts';
import { book, ledgerAccounts } from '../billing/book.ts';
import { registerProcess } from '../billing/processes.ts';
import { settleCharges } from '../billing/settle.ts';
import { verifyLedger } from '../billing/verify.ts';
import { findRequest } from '../requests/find-requests.ts';
import type { Database } from './database.ts';
import { migrate, migrations } from './migrate.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { postgresPool } from './postgres-pool.ts';
import { openSqlite } from './sqlite-database.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { type StoreLocation, storeOn } from './store.ts';

const names = Object.keys(migrations).toSorted();

forEachStore(({ place }) => {
  const opened: Kysely<Database>[] = [];
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.destroy();
  });

  /** The test's store with all migrations up to this one. */
  async function asOf(name: string): Promise<Kysely<Database>> {
    const db = new Kysely<Database>({ dialect: await dialectOf(place()) });
    opened.push(db);
    await migrateTo(db, name);
    return db;
  }

  test('rows that older versions write before and after the migration are all stored', async () => {
    const knownBy = new Map<string, readonly TableMetadata[]>();
    const db = await asOf(names[0] ?? '');
    const write = (name: string, when: string) =>
      db.transaction().execute(async (tx) => {
        for (const table of knownBy.get(name) ?? []) {
          await insert(tx, table, `${when} ${name}`).catch((cause: unknown) => {
            throw new Error(`a version with ${name} cannot write ${table.name} ${when} the later migrations`, {
              cause,
            });
          });
        }
      });
    for (const name of names.slice(0, -1)) {
      await migrateTo(db, name);
      knownBy.set(name, inOrder(await db.introspection.getTables()));
      await write(name, 'before');
    }
    expect(await migrate(db)).toEqual(names.slice(-1));
    for (const name of knownBy.keys()) await write(name, 'after');
    const last = [...knownBy.values()].at(-1) ?? [];
    for (const { name } of last) {
      const versions = [...knownBy.values()].filter((tables) => tables.some((table) => table.name === name)).length;
      const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(db);
      expect(rows.length, name).toBeGreaterThanOrEqual(2 * versions);
    }
  });

  test('this version settles holds and reads requests that the previous version wrote', async () => {
    const db = await asOf('0005-admin');
    const store = storeOn({ db });
    // Written like that version did: current code may need columns that do not exist yet.
    const id = 'acc_old' as AccountId;
    await db.insertInto('accounts').values(oldAccount(id)).execute();
    const balance = { account_id: id, granted: 0n, topped_up: 100n, leased: 50n, floor: 0n };
    await db.insertInto('balances').values(balance).execute();
    const entries = new Map([
      [ledgerAccounts.toppedUp(id), 100n],
      [ledgerAccounts.external, -100n],
    ]);
    await book(db, [{ reference: 't', kind: 'top_up', accountId: id, by: 'op', reason: 'test', at: 1, entries }]);
    await registerProcess(store, 'old');
    await db.insertInto('leases').values({ process_id: 'old', account_id: id, amount: 50n }).execute();
    await db.insertInto('requests').values(oldRequest('before', id)).execute();
    await migrate(db);
    const charge = { requestId: 'before', accountId: id, keyId: 'k', processId: 'old', held: 50n, cost: 7n };
    const how = { priceVersion: 'p_1', by: 'gateway', reason: 'request', at: 1 } as const;
    await store.commit(settleCharges, [{ ...charge, ...how }]);
    await db.insertInto('requests').values(oldRequest('after', id)).execute();
    expect(await balanceOf(store, id)).toMatchObject({ toppedUp: 93n, reserved: 43n });
    expect((await verifyLedger(store)).isSound).toBe(true);
    for (const request of ['before', 'after']) {
      expect(await findRequest(store, request)).toMatchObject({
        id: request,
        cost: 7n,
        attempts: [],
        replayOf: undefined,
      });
    }
  });
}, 'nothing');

async function migrateTo(db: Kysely<Database>, name: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error } = await migrator.migrateTo(name);
  expect(error).toBeUndefined();
}

async function dialectOf({ data = '', database }: StoreLocation) {
  if (database === undefined) return sqliteDialect(await openSqlite(join(data, 'gateway.db')));
  return postgresDialect(postgresPool({ database, connectionsMax: 2, statementMs: 10_000 }));
}

/** Referenced tables come first. */
function inOrder(tables: readonly TableMetadata[]): readonly TableMetadata[] {
  const first = ['console_users', 'transfers', 'accounts'];
  return tables
    .filter(({ name }) => !name.startsWith('kysely_') && !name.startsWith('sqlite_'))
    .toSorted((a, b) => first.indexOf(b.name) - first.indexOf(a.name));
}

/** The columns without a default value. */
function givenColumns({ columns }: TableMetadata) {
  return columns.filter(({ isAutoIncrementing, hasDefaultValue }) => !isAutoIncrementing && !hasDefaultValue);
}

/**
 * Inserts a row like a program that has only these columns. All its texts are the same stamp, so that rows can refer to
 * each other.
 */
async function insert(db: Kysely<Database>, table: TableMetadata, stamp: string): Promise<void> {
  const columns = givenColumns(table);
  const values = columns.map(({ dataType }) => valueOf(dataType, stamp));
  await sql`insert into ${sql.table(table.name)} (${sql.join(columns.map(({ name }) => sql.ref(name)))})
    values (${sql.join(values)})`.execute(db);
}

function valueOf(dataType: string, stamp: string): string | number | boolean {
  if (/time|date/i.test(dataType)) return '2026-01-01T00:00:00Z';
  if (/bool/i.test(dataType)) return dataType === 'bool' ? true : 1;
  return /text|char/i.test(dataType) ? stamp : 1;
}

/** A row without the columns of later versions. */
function oldAccount(id: string) {
  return {
    id,
    name: 'ann',
    package: 'standard',
    status: 'active',
    source: 'store',
    credit: null,
    created_at: 1,
  } as const;
}

function oldRequest(id: string, accountId: string) {
  return {
    id,
    started_at: 1,
    account_id: accountId,
    key_id: 'k',
    user_id: null,
    site: 'default',
    surface: 'chat',
    requested_model: 'm',
    model: 'm',
    upstream: 'u',
    upstream_model: 'm',
    status: 200,
    error_case: null,
    finish: 'stop',
    prompt_tokens: 1,
    completion_tokens: 2,
    cached_tokens: null,
    reasoning_tokens: null,
    usage_source: 'upstream',
    attempts: 1,
    wait_ms: 0,
    first_byte_ms: 1,
    duration_ms: 2,
    client_gone: 0,
    notes: null,
    cost: 7n,
    price_version: 'p_1',
  } as const;
}
