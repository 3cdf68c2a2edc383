import type { Kysely } from 'kysely';

/**
 * Pending sign-ups without a confirmed e-mail address, preferred languages, and sign-in locations, so that a new
 * location can be recognised.
 */
export const newcomers = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('console_sign_ups')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('digest', 'text', (column) => column.notNull().unique())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('password_hash', 'text', (column) => column.notNull())
      .addColumn('package', 'text', (column) => column.notNull())
      .addColumn('language', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('console_sign_ups_email').on('console_sign_ups').column('email').execute();
    await db.schema
      .createTable('console_locations')
      .addColumn('user_id', 'text', (column) => column.notNull().references('console_users.id').onDelete('cascade'))
      .addColumn('location', 'text', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('console_locations_pk', ['user_id', 'location'])
      .execute();
    await db.schema.alterTable('console_users').addColumn('language', 'text').execute();
  },
};
