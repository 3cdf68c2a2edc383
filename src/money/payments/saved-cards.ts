import type { Kysely } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import type { PaymentProvider, ProviderCard } from './payment-provider.ts';

/** The saved card of an account, as people recognise it. */
export interface SavedCard {
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
}

export async function savedCardOf(db: Kysely<Database>, accountId: string): Promise<SavedCard | undefined> {
  const row = await cardRow(db, accountId);
  if (!row || row.card === null) return undefined;
  return { brand: row.brand, last4: row.last4, expMonth: row.exp_month, expYear: row.exp_year };
}

/** The provider's id of the customer. It stays after the card is removed. */
export async function customerOf(
  db: Kysely<Database>,
  accountId: string,
  provider: string,
): Promise<string | undefined> {
  const row = await cardRow(db, accountId);
  return row?.provider === provider ? row.customer : undefined;
}

interface CardToSave {
  readonly accountId: string;
  readonly provider: string;
  readonly by: string;
  readonly setup: string;
  readonly card: ProviderCard;
  readonly at: number;
}

/**
 * Saves the card of a set-up, and ends a pause that the card before caused. Returns false if nothing changed: the
 * account does not exist, or this set-up or a newer one was read before. A repeated report therefore cannot bring back
 * a removed card. Call it in a transaction.
 */
export async function saveCard(tx: Kysely<Database>, saving: CardToSave): Promise<boolean> {
  const { accountId, provider, by, setup, card, at } = saving;
  const account = await tx.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst();
  if (!account) return false;
  const before = await cardRow(tx, accountId);
  const row = {
    provider,
    customer: card.customer,
    card: card.card,
    brand: card.brand,
    last4: card.last4,
    exp_month: card.expMonth,
    exp_year: card.expYear,
    saved_by: by,
    setup,
    set_up_at: card.setUpAt,
  };
  const saved = await tx
    .insertInto('saved_cards')
    .values({ account_id: accountId, ...row })
    .onConflict((kept) =>
      kept
        .column('account_id')
        .doUpdateSet(row)
        .where('saved_cards.setup', '!=', setup)
        .where('saved_cards.set_up_at', '<=', card.setUpAt),
    )
    .returning('account_id')
    .executeTakeFirst();
  if (!saved) return false;
  if (before && before.card !== null && before.card !== card.card) await forgetLater(tx, before, at);
  await tx
    .updateTable('auto_top_ups')
    .set({ pause: null, paused_at: null })
    .where('account_id', '=', accountId)
    .execute();
  return true;
}

/** Removes the card of an account. The provider forgets it soon after. Call it in a transaction. */
export async function removeCard(tx: Kysely<Database>, accountId: string, at: number): Promise<void> {
  const before = await cardRow(tx, accountId);
  if (!before || before.card === null) return;
  await tx.updateTable('saved_cards').set({ card: null }).where('account_id', '=', accountId).execute();
  await forgetLater(tx, before, at);
}

function cardRow(db: Kysely<Database>, accountId: string) {
  return db.selectFrom('saved_cards').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

/** A call of the provider must not run inside a transaction, and it may fail. */
async function forgetLater(
  tx: Kysely<Database>,
  { card, provider }: { readonly card: string | null; readonly provider: string },
  at: number,
): Promise<void> {
  await tx
    .insertInto('card_removals')
    .values({ card: card ?? '', provider, attempts: 0, due_at: at })
    .onConflict((kept) => kept.column('card').doNothing())
    .execute();
}

const removalsPerRun = 20;
const retryMs = 60_000;

/** Asks the provider to forget removed cards. A card that it cannot forget now is tried again in a minute. */
export async function forgetRemovedCards(
  db: Kysely<Database>,
  provider: PaymentProvider,
  { now, onError }: { readonly now: number; readonly onError: (error: unknown) => void },
): Promise<void> {
  const due = await db
    .selectFrom('card_removals')
    .select('card')
    .where('provider', '=', provider.name)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(removalsPerRun)
    .execute();
  for (const { card } of due) {
    await db
      .updateTable('card_removals')
      .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), due_at: now + retryMs }))
      .where('card', '=', card)
      .execute();
    try {
      await provider.forgetCard(card);
      await db.deleteFrom('card_removals').where('card', '=', card).execute();
    } catch (error) {
      onError(error);
    }
  }
}
