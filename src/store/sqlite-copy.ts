import { backup, DatabaseSync } from 'node:sqlite';

const busyWaitMs = 10_000;
/** More pages than any database has. */
const allPages = 2 ** 31 - 1;
const busyCodes: ReadonlySet<unknown> = new Set([5, 6]);

/** Copies a database that others may be writing to, as it was at one moment, into a single file that needs no others. */
export async function copySqlite(file: string, copy: string): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: busyWaitMs });
  try {
    // All pages in one step: a commit between two steps would make it begin again, and under load that never ends.
    await backup(source, copy, { rate: allPages });
  } finally {
    source.close();
  }
  withDatabase(copy, (database) => database.exec('pragma journal_mode = delete'));
}

/** What is known of a copy that nobody uses. */
export interface SqliteFacts {
  /** What is broken in it; `undefined` when nothing is. */
  readonly damage: string | undefined;
  /** The names of the migrations it has. */
  readonly migrations: readonly string[];
  /** The digest by which the store knows its secret, if it ever had one. */
  readonly pepper: string | undefined;
}

export function factsOf(file: string): SqliteFacts {
  return withDatabase(file, (database) => {
    const column = (sql: string): readonly string[] =>
      database
        .prepare(sql)
        .all()
        .map((row) => String(Object.values(row)[0]));
    const [verdict = 'nothing can be read from it'] = column('pragma integrity_check(1)');
    if (verdict !== 'ok') return { damage: verdict, migrations: [], pepper: undefined };
    const [pepper] = column("select value from settings where name = 'pepper'");
    return { damage: undefined, migrations: column('select name from kysely_migration order by name'), pepper };
  });
}

/**
 * Takes the side files of a database into it, which only who has it alone can do. Says false when somebody else has it
 * open, be it a process that stands still. A database that is broken is nobody's.
 */
export function settledAlone(file: string): boolean {
  try {
    withDatabase(file, (database) => database.exec('pragma journal_mode = delete'), 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'errcode' in error && busyCodes.has(error.errcode));
  }
}

function withDatabase<Result>(file: string, work: (database: DatabaseSync) => Result, timeout = busyWaitMs): Result {
  const database = new DatabaseSync(file, { timeout });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
