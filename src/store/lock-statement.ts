import type { SqlStatement } from './job.ts';

/** Separates our advisory locks from those of other applications in the same database. */
export const lockSpace = 0x67_61_74_65;

/**
 * Takes an advisory lock by name, across all machines, until the commit. The embedded store has one writer at a time,
 * so there the statement has nothing to do.
 */
export const takingLock: SqlStatement = {
  name: 'take lock',
  sqlite: 'select 1 where ?1 is null',
  postgres: `select from pg_advisory_xact_lock(${lockSpace}, hashtext($1))`,
};
