import { type Account, accounts } from '../accounts/accounts.ts';
import { suggestion } from '../config/closest.ts';
import { systemClock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { CliError } from './output.ts';

/** The account of that name or id, or a failure that says which there are. */
export async function accountOf(store: Store, reference: string): Promise<Account> {
  const book = accounts(store, systemClock);
  const account = await book.find(reference);
  if (account) return account;
  const names = (await book.list()).map(({ name }) => name);
  const next =
    suggestion(reference, names) || (names.length === 0 ? firstAccount : 'chat-gateway accounts list shows them.');
  throw new CliError(`There is no account "${reference}".`, { next });
}

export const firstAccount = 'Make one: chat-gateway accounts create NAME';
