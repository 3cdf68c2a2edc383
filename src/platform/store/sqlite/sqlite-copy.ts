import { backup, DatabaseSync } from 'node:sqlite';

const busyWaitMs = 10_000;
/** More pages than a database can have. */
const allPages = 2 ** 31 - 1;
const busyCodes: ReadonlySet<unknown> = new Set([5, 6]);

/** Copies a database as it is at one moment, also while others write to it. The copy has no side files. */
export async function copySqlite(file: string, copy: string): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: busyWaitMs });
  try {
    // All pages in one step: a commit between two steps would restart the backup, and under load it would never end.
    await backup(source, copy, { rate: allPages });
  } finally {
    source.close();
  }
  withDatabase(copy, (database) => database.exec('pragma journal_mode = delete'));
}

export interface SqliteFacts {
  /** The first damage found; `undefined` if there is none. */
  readonly damage: string | undefined;
  readonly migrations: readonly string[];
  /** Digest that identifies the store's secret, if it ever had one. */
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

/** Merges the side files. False if another process has it open, even a frozen one; true if it is damaged. */
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
