import type { SQLInputValue } from 'node:sqlite';
import { CompiledQuery, type DatabaseConnection, type QueryResult, SqliteDriver } from 'kysely';
import type { SqliteResult } from '../sqlite/sqlite-database.ts';
import type { StoreThread } from './store-thread.ts';
import type { ThreadSupervisor } from './thread-supervisor.ts';

/**
 * Kysely's driver for the worker thread. A connection is one run of the thread, held until the end of a transaction.
 */
export class ThreadDriver extends SqliteDriver {
  readonly #supervisor: ThreadSupervisor;

  constructor(supervisor: ThreadSupervisor) {
    super({ database: () => Promise.reject(new Error('the database is in another thread')) });
    this.#supervisor = supervisor;
  }

  override async init(): Promise<void> {}

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new ThreadConnection(await this.#supervisor.takeToRead(), this.#supervisor.now);
  }

  override async releaseConnection(): Promise<void> {
    this.#supervisor.release();
  }

  /**
   * A transaction that begins with a read and then writes fails if another process wrote in between. An immediate one
   * waits for the write lock first.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
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
