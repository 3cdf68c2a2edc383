import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

/** Runs a part of a transaction. If it fails, only this part is rolled back, and the transaction can continue. */
export async function withinSavepoint<Result>(tx: Kysely<Database>, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint part`.execute(tx);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    // On a broken connection the rollback fails too. The first error says more.
    await sql`rollback to savepoint part`.execute(tx).catch(() => undefined);
    throw error;
  }
  await sql`release savepoint part`.execute(tx);
  return result;
}
