import { type RawBuilder, sql } from 'kysely';

/** Selects the rows of one expired process, or the orphaned rows: those that remained when their process was reaped. */
export type LeaseOwner = { readonly processId: string } | 'orphaned';

export function isOwnedBy(owner: LeaseOwner): RawBuilder<boolean> {
  if (owner !== 'orphaned') return sql<boolean>`process_id = ${owner.processId}`;
  return sql<boolean>`process_id not in (select id from processes)`;
}
