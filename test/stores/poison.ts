import { sql } from 'kysely';
import { engineOf } from '../../src/platform/store/engine.ts';
import type { Store } from '../../src/platform/store/store.ts';

/** Makes the store reject all rows of a table with this value in a column, as if they violated a constraint. */
export async function refuse({ db }: Store, table: string, column: string, name: string): Promise<void> {
  const [where, which, text] = [sql.table(table), sql.ref(column), sql.lit(name)];
  const rule =
    engineOf(db) === 'postgres'
      ? sql`alter table ${where} add constraint poison check (${which} <> ${text})`
      : sql`create trigger poison before insert on ${where} when new.${which} = ${text}
          begin select raise(abort, 'poison'); end`;
  await rule.execute(db);
}

/** Makes the store accept these rows again. */
export async function accept({ db }: Store, table: string): Promise<void> {
  const rule =
    engineOf(db) === 'postgres'
      ? sql`alter table ${sql.table(table)} drop constraint poison`
      : sql`drop trigger poison`;
  await rule.execute(db);
}
