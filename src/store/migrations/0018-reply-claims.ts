import type { Kysely } from 'kysely';

/** Idempotency claims: the process that generates each reply, and the pieces of it so far for remote readers. */
export const replyClaims = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('reply_claims')
      .addColumn('scope', 'text', (column) => column.primaryKey())
      .addColumn('claim', 'text', (column) => column.notNull().unique())
      .addColumn('process', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('ending', 'text')
      .addColumn('claimed_at', 'bigint', (column) => column.notNull())
      .addColumn('read_until', 'bigint')
      .addColumn('kept_until', 'bigint')
      .execute();
    await db.schema.createIndex('reply_claims_by_process').on('reply_claims').column('process').execute();
    await db.schema
      .createTable('reply_pieces')
      .addColumn('claim', 'text', (column) => column.notNull())
      .addColumn('start', 'bigint', (column) => column.notNull())
      .addColumn('length', 'bigint', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('reply_pieces_key', ['claim', 'start'])
      .execute();
  },
};
