import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import type { Database } from '../../src/platform/store/database.ts';
import { migrate } from '../../src/platform/store/migrate.ts';
import { openSqlite } from '../../src/platform/store/sqlite/sqlite-database.ts';
import { sqliteDialect } from '../../src/platform/store/sqlite/sqlite-dialect.ts';
import { type Store, storeOn } from '../../src/platform/store/store.ts';
import { epochMs, type Machine } from './machine.ts';
import type { World } from './world.ts';

/** How the store treats calls. */
export interface StoreMood {
  /** The longest time of a call in each direction. */
  readonly latencyMs: number;
  /** The share of calls that fail without an effect. */
  readonly failureShare: number;
  /** The share of calls that take effect and lose their reply. */
  readonly lostReplyShare: number;
  /** Blobs of this kind cannot be decrypted. */
  readonly corrupts?: 'files' | 'batch_lines';
  /** Statements that begin with this text fail. */
  readonly refuses?: string;
}

/** One database in memory. All machines of a world share it, each through its own connection, which may fail. */
export class SharedStore {
  readonly #sqlite: SqliteDatabase;
  #wipes: readonly string[] = [];
  #world: World | undefined;
  #mood: StoreMood = { latencyMs: 0, failureShare: 0, lostReplyShare: 0 };
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** The number of transactions and single statements so far. */
  commits = 0;
  /** When a call last failed, or the mood last changed. */
  lastFaultMs = Number.NEGATIVE_INFINITY;
  /** Access outside of virtual time, for checks. */
  readonly direct: Kysely<Database>;

  private constructor(open: (now: () => number) => SqliteDatabase) {
    this.#sqlite = open(() => this.now());
    this.direct = new Kysely<Database>({ dialect: sqliteDialect(this.#sqlite) });
  }

  static async open(): Promise<SharedStore> {
    let now = (): number => epochMs;
    const sqlite = await openSqlite(':memory:', () => now());
    const store = new SharedStore((worldNow) => {
      now = worldNow;
      return sqlite;
    });
    await migrate(store.direct);
    // Triggers keep the ledger append-only. They are dropped here, so that the store can be emptied between worlds.
    for (const { name } of store.rows(appendOnlyTriggers)) store.#run(`drop trigger ${String(name)}`);
    store.#wipes = store.rows(tables).map(({ name }) => `delete from ${String(name)}`);
    return store;
  }

  /** Empties the database for another world. */
  enter(world: World, mood: StoreMood): void {
    this.#world = world;
    this.#mood = mood;
    this.lastFaultMs = Number.NEGATIVE_INFINITY;
    for (const text of ['begin', 'pragma defer_foreign_keys = on', ...this.#wipes, 'commit']) this.#run(text);
  }

  /** The time of its clock. */
  now(): number {
    return epochMs + (this.#world?.nowMs ?? 0) + (this.#world?.offMs ?? 0);
  }

  set mood(mood: StoreMood) {
    this.#mood = mood;
    this.lastFaultMs = this.#world?.nowMs ?? 0;
  }

  get mood(): StoreMood {
    return this.#mood;
  }

  #run(text: string): void {
    this.#sqlite.prepare(text).run([]);
  }

  rows(text: string, ...parameters: (string | number)[]): readonly Record<string, unknown>[] {
    return this.#sqlite.prepare(text).all(parameters) as readonly Record<string, unknown>[];
  }

  /** Opens the machine's own connection. */
  open(machine: Machine): Store {
    const driver = (): Driver => new RemoteDriver(this.#sqlite, this, machine, () => this.#world!);
    const db = new Kysely<Database>({ dialect: new RemoteDialect({ database: this.#sqlite }, driver) });
    return storeOn({ db, close: () => Promise.resolve() });
  }

  /** Waits until no other connection writes, as in the real store. The caller must call the returned function. */
  async exclusive(): Promise<() => void> {
    const before = this.#lastWrite;
    let release = (): void => {};
    this.#lastWrite = new Promise<void>((resolve) => (release = resolve));
    await before;
    return release;
  }
}

const appendOnlyTriggers = "select name from sqlite_master where type = 'trigger' and name like '%_no_%'";

const tables =
  "select name from sqlite_master where type = 'table' and name not like 'kysely%' and name not like 'sqlite%'";

class RemoteDialect extends SqliteDialect {
  readonly #driver: () => Driver;

  constructor(config: { database: SqliteDatabase }, driver: () => Driver) {
    super(config);
    this.#driver = driver;
  }

  override createDriver(): Driver {
    return this.#driver();
  }

  override createAdapter(): SqliteAdapter {
    return new RemoteAdapter();
  }
}

/** Every caller has its own connection, which may fail alone. */
class RemoteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class RemoteDriver extends SqliteDriver {
  readonly #shared: SharedStore;
  readonly #machine: Machine;
  readonly #world: () => World;
  readonly #sqlite: SqliteDatabase;

  constructor(sqlite: SqliteDatabase, shared: SharedStore, machine: Machine, world: () => World) {
    super({ database: sqlite });
    this.#sqlite = sqlite;
    this.#shared = shared;
    this.#machine = machine;
    this.#world = world;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#travel();
    const { failureShare } = this.#shared.mood;
    if (failureShare > 0 && this.#world().random() < failureShare) throw this.#fault('the store is unreachable');
    return new RemoteConnection(this.#sqlite, this.#shared, () => this.#replied());
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as RemoteConnection).begin();
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as RemoteConnection).finish('commit');
    await this.#replied();
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as RemoteConnection).finish('rollback');
  }

  override async releaseConnection(): Promise<void> {}

  async #replied(): Promise<void> {
    await this.#travel();
    const { lostReplyShare } = this.#shared.mood;
    if (lostReplyShare > 0 && this.#world().random() < lostReplyShare) throw this.#fault('the reply was lost');
  }

  #travel(): Promise<void> {
    const { latencyMs } = this.#shared.mood;
    if (latencyMs === 0) return Promise.resolve();
    return this.#machine.wait(latencyMs * this.#world().random());
  }

  #fault(message: string): Error {
    this.#machine.lastFaultMs = this.#world().nowMs;
    this.#shared.lastFaultMs = this.#world().nowMs;
    return new Error(message);
  }
}

class RemoteConnection implements DatabaseConnection {
  readonly #sqlite: SqliteDatabase;
  readonly #shared: SharedStore;
  readonly #replied: () => Promise<void>;
  #release: (() => void) | undefined;

  constructor(sqlite: SqliteDatabase, shared: SharedStore, replied: () => Promise<void>) {
    this.#sqlite = sqlite;
    this.#shared = shared;
    this.#replied = replied;
  }

  async begin(): Promise<void> {
    this.#release = await this.#shared.exclusive();
    this.#run(CompiledQuery.raw('begin immediate'));
  }

  /** Does nothing after the end: a caller whose commit lost its reply then rolls back. */
  finish(how: 'commit' | 'rollback'): void {
    if (!this.#release) return;
    this.#run(CompiledQuery.raw(how));
    this.#shared.commits += 1;
    this.#release();
    this.#release = undefined;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#release) return this.#run<Row>(query);
    const release = await this.#shared.exclusive();
    let result: QueryResult<Row>;
    try {
      result = this.#run<Row>(query);
      this.#shared.commits += 1;
    } finally {
      release();
    }
    await this.#replied();
    return result;
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the simulated store does not stream rows');
  }

  #run<Row>(query: CompiledQuery): QueryResult<Row> {
    const { refuses } = this.#shared.mood;
    if (refuses !== undefined && query.sql.startsWith(refuses)) throw new Error('the store refused the statement');
    const statement = this.#sqlite.prepare(query.sql);
    if (statement.reader)
      return { rows: (statement.all(query.parameters) as Row[]).map((row) => this.#corrupted(row)) };
    const { changes, lastInsertRowid } = statement.run(query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #corrupted<Row>(row: Row): Row {
    const { kind, sealed } = row as { readonly kind?: unknown; readonly sealed?: unknown };
    const isCorrupt = sealed !== undefined && kind !== undefined && kind === this.#shared.mood.corrupts;
    return isCorrupt ? { ...row, sealed: '' } : row;
  }
}
