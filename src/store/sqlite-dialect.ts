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
import { ThreadDriver } from './thread-dialect.ts';
import type { ThreadLives } from './thread-lives.ts';

/** Kysely's SQLite dialect, made fit for several processes on one file. */
export function sqliteDialect(database: SqliteDatabase): Dialect {
  return new SharedSqliteDialect(database);
}

/** The same for a database that another thread has. */
export function threadDialect(lives: ThreadLives): Dialect {
  return new ThreadDialect(lives);
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
  readonly #lives: ThreadLives;

  constructor(lives: ThreadLives) {
    super({ database: () => Promise.reject(new Error('the database is in another thread')) });
    this.#lives = lives;
  }

  override createDriver(): Driver {
    return new ThreadDriver(this.#lives);
  }

  override createAdapter(): DialectAdapter {
    return new ThreadAdapter();
  }
}

class SharedSqliteDriver extends SqliteDriver {
  #connection: DatabaseConnection | undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= patient(await super.acquireConnection());
    return this.#connection;
  }

  /** A transaction that begins as a reader and then writes fails at once if another wrote meanwhile; this one waits its turn. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

function patient(connection: DatabaseConnection): DatabaseConnection {
  return {
    executeQuery: (query) => whileBusy(() => connection.executeQuery(query)),
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

class SharedSqliteAdapter extends SqliteAdapter {
  /** SQLite can roll back a change of tables. Saying so makes the migrator take the write lock before it looks what is missing. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Who comes when is decided before the thread: Kysely's own lock would stay closed when a thread cannot be had. */
class ThreadAdapter extends SharedSqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
