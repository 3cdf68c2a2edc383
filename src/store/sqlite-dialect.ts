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

/** Who may use a connection that several handles share. */
export interface ConnectionTurns {
  take(): Promise<void>;
  over(): void;
}

/** Kysely's SQLite dialect, made fit for several processes on one file, or several handles on one connection. */
export function sqliteDialect(database: SqliteDatabase, turns: ConnectionTurns = ownConnection): Dialect {
  return new SharedSqliteDialect(database, turns);
}

const ownConnection: ConnectionTurns = { take: () => Promise.resolve(), over: () => {} };

class SharedSqliteDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;
  readonly #turns: ConnectionTurns;

  constructor(database: SqliteDatabase, turns: ConnectionTurns) {
    super({ database });
    this.#database = database;
    this.#turns = turns;
  }

  override createDriver(): Driver {
    return new SharedSqliteDriver(this.#database, this.#turns);
  }

  override createAdapter(): DialectAdapter {
    return new SharedSqliteAdapter();
  }
}

class SharedSqliteDriver extends SqliteDriver {
  readonly #turns: ConnectionTurns;
  #connection: DatabaseConnection | undefined;

  constructor(database: SqliteDatabase, turns: ConnectionTurns) {
    super({ database });
    this.#turns = turns;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turns.take();
    this.#connection ??= patient(await super.acquireConnection());
    return this.#connection;
  }

  override async releaseConnection(): Promise<void> {
    this.#turns.over();
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
