import { Kysely, type SqliteDatabase } from 'kysely';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite-database.ts';
import { type ConnectionTurns, sqliteDialect } from './sqlite-dialect.ts';
import type { Store } from './store.ts';
import { storeOn } from './store-on.ts';

/** A database that is gone with the process: for simulations, where many gateways are played in one process. */
export interface MemoryDatabase {
  /** Another handle, as another process would have it: transactions of different handles take turns. */
  open(): Store;
  /** Forgets everything. */
  close(): void;
}

/** An empty, migrated database in memory, whose SQL reads the time from `now`. */
export async function memoryDatabase(now: () => number): Promise<MemoryDatabase> {
  const database = await openSqlite(':memory:', now);
  const turns = oneAtATime();
  const handle = () => new Kysely<Database>({ dialect: sqliteDialect(keptOpen(database), turns) });
  const migrated = await migrate(handle());
  return {
    open() {
      return storeOn({ db: handle(), migrated });
    },
    close: () => database.close(),
  };
}

/** A handle that is closed leaves the database to the others. */
function keptOpen(database: SqliteDatabase): SqliteDatabase {
  return { prepare: (sql) => database.prepare(sql), close: () => {} };
}

/** All handles share one connection: whoever has it keeps it until the end of its transaction. */
function oneAtATime(): ConnectionTurns {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return Promise.resolve();
    },
    over() {
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    },
  };
}
