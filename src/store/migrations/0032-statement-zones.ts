import type { Kysely } from 'kysely';

/** Time zone of a closed month. Months closed before this migration are in UTC. */
export const statementZones = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('statements').addColumn('time_zone', 'text').execute();
  },
};
