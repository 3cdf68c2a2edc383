import type { Kysely } from 'kysely';

/** The outbox of events, alert states, and webhook endpoints with their deliveries. */
export const notices = {
  async up(db: Kysely<unknown>): Promise<void> {
    await happened(db);
    await receivers(db);
    await deliveries(db);
    // The balance at which an account's owners receive an alert; null: never.
    await db.schema.alterTable('balances').addColumn('low_at', 'bigint').execute();
  },
};

async function happened(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text')
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('fanned_out_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('events_pending')
    .on('events')
    .column('at')
    .where('fanned_out_at' as never, 'is', null)
    .execute();
  await db.schema.createIndex('events_by_age').on('events').column('at').execute();
  await db.schema
    .createTable('alert_states')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .execute();
}

async function receivers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('delivery_endpoints')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('kinds', 'text')
    .addColumn('secret', 'text')
    .addColumn('old_secret', 'text')
    .addColumn('old_secret_until', 'bigint')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('failing_since', 'bigint')
    .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('cooldown_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('claim', 'text')
    .addColumn('claimed_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('served_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('delivery_endpoints_by_account').on('delivery_endpoints').column('account_id').execute();
}

async function deliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('event_id', 'text')
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text')
    .addColumn('target', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .addColumn('first_at', 'bigint', (column) => column.notNull())
    .addColumn('payload', 'text')
    .addColumn('attempt_log', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('deliveries_once', ['event_id', 'endpoint_id', 'target'])
    .execute();
  await db.schema
    .createIndex('deliveries_due')
    .on('deliveries')
    .columns(['endpoint_id', 'next_at'])
    .where('state' as never, '=', 'waiting')
    .execute();
  const lists = [
    ['deliveries_by_endpoint', 'endpoint_id'],
    ['deliveries_by_account', 'account_id'],
  ] as const;
  for (const [name, owner] of lists)
    await db.schema.createIndex(name).on('deliveries').columns([owner, 'created_at', 'id']).execute();
  await db.schema.createIndex('deliveries_by_age').on('deliveries').column('created_at').execute();
}
