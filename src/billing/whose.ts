import { type RawBuilder, sql } from 'kysely';

/** Whose rows: those of a process that is dead, or those that were left when their process was cleaned up after. */
export type LeaseOwner = { readonly processId: string } | 'nobody';

/** Whether a row is theirs. */
export function isOf(whose: LeaseOwner): RawBuilder<boolean> {
  if (whose !== 'nobody') return sql<boolean>`process_id = ${whose.processId}`;
  return sql<boolean>`process_id not in (select id from processes)`;
}
