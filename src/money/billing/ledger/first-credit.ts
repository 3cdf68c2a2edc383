import type { Clock } from '../../../core/time/clock.ts';
import { nanoFrom } from '../../../core/money.ts';
import type { Store } from '../../../platform/store/store.ts';
import { credits } from './credits.ts';

/** Grants each account the credit it was created with. Each account gets it once, however often this is called. */
export async function grantFirstCredits(store: Store, clock: Clock): Promise<void> {
  const due = await store.db
    .selectFrom('accounts')
    .select(['id', 'credit'])
    .where('credit', 'is not', null)
    .where((account) =>
      account.not(
        account.exists(
          account
            .selectFrom('transfers')
            .select('reference')
            .whereRef('transfers.account_id', '=', 'accounts.id')
            .where('kind', '=', 'grant')
            .where('by', '=', grantor),
        ),
      ),
    )
    .execute();
  for (const { id, credit } of due) {
    const amount = nanoFrom(credit ?? '0');
    if (amount === 0n) continue;
    const reason = 'credit the account was made with';
    await credits(store, clock).grant({ accountId: id, amount, reference: `first-credit:${id}`, by: grantor, reason });
  }
}

const grantor = 'configuration';
