import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import type { PaymentNews } from './payment-provider.ts';

/** Provider events that identify a payment by the provider's own id. */
export type LaterNews = Extract<PaymentNews, { kind: 'refunded' | 'disputed' | 'dispute-won' }>;

/**
 * Providers retry an event for days, and it can be resent by hand for weeks. Older events belong to payments that are
 * not ours.
 */
const keptForMs = 30 * 86_400_000;

/** Stores an event of a payment that is not known as paid yet: providers send events in any order. */
export async function keepEarlyNews(tx: Kysely<Database>, news: LaterNews, now: number): Promise<void> {
  const row = { intent: news.intent, news: JSON.stringify(news), heard_at: now };
  await tx
    .insertInto('early_payment_news')
    .values(row)
    .onConflict((kept) => kept.columns(['intent', 'news']).doNothing())
    .execute();
  await tx
    .deleteFrom('early_payment_news')
    .where('heard_at', '<', now - keptForMs)
    .execute();
}

/** Returns the stored events of a payment and deletes them. */
export async function takeEarlyNews(tx: Kysely<Database>, intent: string): Promise<readonly LaterNews[]> {
  const rows = await tx.deleteFrom('early_payment_news').where('intent', '=', intent).returning('news').execute();
  return rows.map(({ news }) => JSON.parse(news) as LaterNews);
}
