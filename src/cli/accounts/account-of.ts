import { type Account, accounts } from '../../money/accounts/accounts.ts';
import { closest } from '../../platform/config/file/closest.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { CliError } from '../terminal/output.ts';

/** Finds an account by name or id; throws `account_not_found`, with the closest name if there is one. */
export async function accountOf(store: Store, reference: string): Promise<Account> {
  const book = accounts(store, systemClock);
  const account = await book.find(reference);
  if (account) return account;
  const names = (await book.list()).map(({ name }) => name);
  throw new CliError('account_not_found', { account: reference }, { closest: closest(reference, names) });
}

export async function accountNames(store: Store): Promise<ReadonlyMap<string, string>> {
  return new Map((await accounts(store, systemClock).list()).map(({ id, name }) => [id, name]));
}

export const firstAccount = 'Create one: chat-gateway accounts create NAME';
