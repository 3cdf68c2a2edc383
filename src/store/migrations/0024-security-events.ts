import { type Kysely, sql } from 'kysely';

/** The origin of each audit row and the accounts it concerns, and when a token was last used. */
export const securityEvents = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('audit').addColumn('address', 'text').execute();
    await db.schema.alterTable('audit').addColumn('device', 'text').execute();
    await db.schema.alterTable('admin_tokens').addColumn('last_used_at', 'bigint').execute();
    await db.schema
      .createTable('audit_accounts')
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('line', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_accounts_pk', ['account_id', 'line'])
      .execute();
    await fillOldRows(db);
  },
};

/** Fills in the accounts that earlier rows name themselves. The members of the accounts at that time are not known. */
async function fillOldRows(db: Kysely<unknown>): Promise<void> {
  await sql`insert into audit_accounts (account_id, line)
    select subject_id, id from audit where subject_kind in ('account', 'balance')`.execute(db);
  await sql`insert into audit_accounts (account_id, line)
    select api_keys.account_id, audit.id from audit join api_keys on api_keys.id = audit.subject_id
    where audit.subject_kind = 'key'`.execute(db);
}
