import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

/** Does a part of a transaction. If it fails, nothing of this part was done, and the rest of the transaction can go on. */
export async function withinSavepoint<Result>(tx: Kysely<Database>, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint part`.execute(tx);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    // On a broken connection this fails too, and with less to say.
    await sql`rollback to savepoint part`.execute(tx).catch(() => undefined);
    throw error;
  }
  await sql`release savepoint part`.execute(tx);
  return result;
}
