import type { Kysely } from 'kysely';

/** By whose clocks a closed month was counted; those that were closed before were counted in UTC. */
export const statementZones = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('statements').addColumn('time_zone', 'text').execute();
  },
};
