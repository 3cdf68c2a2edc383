import type { SqlStatement } from './job.ts';

/** Separates our advisory locks from those of other applications in the same database. */
export const lockSpace = 0x67_61_74_65;

/** Held until the commit, across all machines. The embedded store has one writer at a time and needs no lock. */
export const takingLock: SqlStatement = {
  name: 'take lock',
  sqlite: 'select 1 where ?1 is null',
  postgres: `select from pg_advisory_xact_lock(${lockSpace}, hashtext($1))`,
};
