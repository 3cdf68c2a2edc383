import { sql } from 'kysely';
import { engineOf } from '../src/store/engine.ts';
import type { Store } from '../src/store/store.ts';

/** From now on the store refuses rows of a table by the name they have in a column, as it does what breaks a rule of its own. */
export async function refuse({ db }: Store, table: string, column: string, name: string): Promise<void> {
  const [where, which, text] = [sql.table(table), sql.ref(column), sql.lit(name)];
  const rule =
    engineOf(db) === 'postgres'
      ? sql`alter table ${where} add constraint poison check (${which} <> ${text})`
      : sql`create trigger poison before insert on ${where} when new.${which} = ${text}
          begin select raise(abort, 'poison'); end`;
  await rule.execute(db);
}

/** It takes them again. */
export async function accept({ db }: Store, table: string): Promise<void> {
  const rule =
    engineOf(db) === 'postgres'
      ? sql`alter table ${sql.table(table)} drop constraint poison`
      : sql`drop trigger poison`;
  await rule.execute(db);
}
