import { type RawBuilder, sql } from 'kysely';

/** Selects the rows of one expired process, or the orphaned rows: those that remained when their process was reaped. */
export type LeaseOwner = { readonly processId: string } | 'nobody';

export function isOf(whose: LeaseOwner): RawBuilder<boolean> {
  if (whose !== 'nobody') return sql<boolean>`process_id = ${whose.processId}`;
  return sql<boolean>`process_id not in (select id from processes)`;
}
