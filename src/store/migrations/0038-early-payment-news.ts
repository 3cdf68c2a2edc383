import type { Kysely } from 'kysely';

/** Payment events that arrive before the payment is known to be paid, and the URL that the payer returns to. */
export const earlyPaymentNews = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('early_payment_events')
      .addColumn('intent', 'text', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('received_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('early_payment_events_key', ['intent', 'event'])
      .execute();
    await db.schema.alterTable('payments').addColumn('return_url', 'text').execute();
  },
};
