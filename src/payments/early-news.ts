import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import type { PaymentNews } from './payment-provider.ts';

/** News that name a payment by what its provider calls it. */
export type LaterNews = Extract<PaymentNews, { kind: 'refunded' | 'disputed' | 'dispute-won' }>;

/** Providers repeat what was not heard for days, and by hand for weeks; what is older is of payments that are not ours. */
const keptForMs = 30 * 86_400_000;

/** Keeps what was heard of a payment that is not known as paid: providers tell things in any order. */
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

/** What was kept of a payment, which is then no longer kept. */
export async function takeEarlyNews(tx: Kysely<Database>, intent: string): Promise<readonly LaterNews[]> {
  const rows = await tx.deleteFrom('early_payment_news').where('intent', '=', intent).returning('news').execute();
  return rows.map(({ news }) => JSON.parse(news) as LaterNews);
}
