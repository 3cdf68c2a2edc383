import type { SqlStatement } from './job.ts';

/** Sets our locks apart from those that others may hold in the same database. */
export const lockSpace = 0x67_61_74_65;

/**
 * Has a job wait until it is its turn among all that name the same lock, on all machines, and keeps it until the commit.
 * The embedded store has one writer at a time, so there it is its turn already.
 */
export const takingLock: SqlStatement = {
  name: 'take lock',
  sqlite: 'select 1 where ?1 is null',
  postgres: `select from pg_advisory_xact_lock(${lockSpace}, hashtext($1))`,
};
