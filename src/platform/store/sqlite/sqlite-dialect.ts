import type { SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { whileBusy } from './busy.ts';
import type { SqliteResult } from './sqlite-database.ts';
import type { StoreThread } from '../thread/store-thread.ts';
import type { ThreadSupervisor } from '../thread/thread-supervisor.ts';

/** Kysely's SQLite dialect, adapted to several processes that use one file. */
export function sqliteDialect(database: SqliteDatabase): Dialect {
  return new OwnSqliteDialect(new SharedSqliteDriver({ database }), new SharedSqliteAdapter());
}

/** The dialect for a database that the store's worker thread has open. */
export function threadDialect(supervisor: ThreadSupervisor): Dialect {
  return new OwnSqliteDialect(new ThreadDriver(supervisor), new ThreadAdapter());
}

const noDatabase = () => Promise.reject(new Error('the database is in another thread'));

class OwnSqliteDialect extends SqliteDialect {
  readonly #driver: Driver;
  readonly #adapter: DialectAdapter;

  constructor(driver: Driver, adapter: DialectAdapter) {
    super({ database: noDatabase });
    this.#driver = driver;
    this.#adapter = adapter;
  }

  override createDriver(): Driver {
    return this.#driver;
  }

  override createAdapter(): DialectAdapter {
    return this.#adapter;
  }
}

class ImmediateDriver extends SqliteDriver {
  /** Waits for the write lock: a write after a read would fail if another process wrote in between. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

class SharedSqliteDriver extends ImmediateDriver {
  #connection: DatabaseConnection | undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= withBusyRetry(await super.acquireConnection());
    return this.#connection;
  }
}

function withBusyRetry(connection: DatabaseConnection): DatabaseConnection {
  return {
    executeQuery: (query) => whileBusy(() => connection.executeQuery(query)),
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

/** A connection is one run of the thread, held until the end of a transaction. */
class ThreadDriver extends ImmediateDriver {
  readonly #supervisor: ThreadSupervisor;

  constructor(supervisor: ThreadSupervisor) {
    super({ database: noDatabase });
    this.#supervisor = supervisor;
  }

  override async init(): Promise<void> {}

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new ThreadConnection(await this.#supervisor.takeToRead(), this.#supervisor.now);
  }

  override async releaseConnection(): Promise<void> {
    this.#supervisor.release();
  }

  override async destroy(): Promise<void> {
    await this.#supervisor.close();
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: StoreThread;
  readonly #now: () => number;

  constructor(thread: StoreThread, now: () => number) {
    this.#thread = thread;
    this.#now = now;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const order = { kind: 'query', now: this.#now(), sql, parameters: parameters as SQLInputValue[] } as const;
    const { rows, changes, lastInsertRowid } = (await this.#thread.send(order)) as SqliteResult;
    if (changes === undefined) return { rows: rows as Row[] };
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid ?? 0) };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the embedded store cannot stream rows; read them in pages');
  }
}

class SharedSqliteAdapter extends SqliteAdapter {
  /** SQLite can roll back schema changes. So the migrator takes the write lock before it reads what is missing. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** `ThreadSupervisor` already serialises access. Kysely's own lock would stay locked if no thread can be started. */
class ThreadAdapter extends SharedSqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
