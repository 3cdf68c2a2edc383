import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from './database.ts';
import { engineOf } from './engine.ts';
import { lockSpace } from './lock-statement.ts';

export interface TransactionOptions {
  /**
   * Transactions with the same lock run one after another, on all machines, and each sees the changes of the one
   * before. Use it for work that reads and then writes based on the result. Without a lock, only single statements are
   * atomic.
   */
  readonly lock?: string;
}

export type RunTransaction = <Result>(work: TransactionWork<Result>, options?: TransactionOptions) => Promise<Result>;

type TransactionWork<Result> = (tx: Transaction<Database>) => Promise<Result>;

/** The embedded store has one writer at a time, so only PostgreSQL needs the lock. */
export function transactions(db: Kysely<Database>): RunTransaction {
  if (engineOf(db) === 'sqlite') return (work) => db.transaction().execute(work);
  return (work, { lock } = {}) =>
    withRetries(() =>
      runOnce(db, async (tx) => {
        if (lock !== undefined) await takeLock(tx, lock);
        return work(tx);
      }),
    );
}

/** Rethrows the first error. On a broken connection the rollback fails too, with a less useful error. */
async function runOnce<Result>(db: Kysely<Database>, work: TransactionWork<Result>): Promise<Result> {
  let firstFailure: { readonly error: unknown } | undefined;
  const capturing: TransactionWork<Result> = (tx) =>
    work(tx).catch((error: unknown) => {
      firstFailure = { error };
      throw error;
    });
  try {
    return await db.transaction().execute(capturing);
  } catch (error) {
    throw firstFailure ? firstFailure.error : error;
  }
}

/** Waits for the lock and holds it until the end of the transaction. */
export async function takeLock(tx: Kysely<Database>, lock: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lockSpace)}, hashtext(${lock}))`.execute(tx);
}

const attemptsMax = 5;
const pauseMaxMs = 50;

/** Retries a transaction that PostgreSQL rolled back because of a conflict with another one. */
export async function withRetries<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isCollision(error) || attempts === attemptsMax) throw error;
    }
    await delay(Math.random() * pauseMaxMs * attempts);
  }
}

const collisions: readonly unknown[] = ['40001', '40P01'];

/** Whether the database rolled back a transaction because of a conflict with another one. */
export function isCollision(error: unknown): boolean {
  return error instanceof Error && 'code' in error && collisions.includes(error.code);
}
