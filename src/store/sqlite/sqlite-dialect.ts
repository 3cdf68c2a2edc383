import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { whileBusy } from './busy.ts';
import { ThreadDriver } from '../thread/thread-dialect.ts';
import type { ThreadSupervisor } from '../thread/thread-supervisor.ts';

/** Kysely's SQLite dialect, adapted to several processes that use one file. */
export function sqliteDialect(database: SqliteDatabase): Dialect {
  return new SharedSqliteDialect(database);
}

/** The dialect for a database that the store's worker thread has open. */
export function threadDialect(supervisor: ThreadSupervisor): Dialect {
  return new ThreadDialect(supervisor);
}

class SharedSqliteDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new SharedSqliteDriver({ database: this.#database });
  }

  override createAdapter(): DialectAdapter {
    return new SharedSqliteAdapter();
  }
}

class ThreadDialect extends SqliteDialect {
  readonly #supervisor: ThreadSupervisor;

  constructor(supervisor: ThreadSupervisor) {
    super({ database: () => Promise.reject(new Error('the database is in another thread')) });
    this.#supervisor = supervisor;
  }

  override createDriver(): Driver {
    return new ThreadDriver(this.#supervisor);
  }

  override createAdapter(): DialectAdapter {
    return new ThreadAdapter();
  }
}

class SharedSqliteDriver extends SqliteDriver {
  #connection: DatabaseConnection | undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= withBusyRetry(await super.acquireConnection());
    return this.#connection;
  }

  /**
   * A transaction that begins with a read and then writes fails if another process wrote in between. An immediate one
   * waits for the write lock first.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

function withBusyRetry(connection: DatabaseConnection): DatabaseConnection {
  return {
    executeQuery: (query) => whileBusy(() => connection.executeQuery(query)),
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

class SharedSqliteAdapter extends SqliteAdapter {
  /**
   * SQLite can roll back schema changes. With `true`, the migrator takes the write lock before it reads which
   * migrations are missing.
   */
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
