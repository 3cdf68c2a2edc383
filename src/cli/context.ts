import type { Command } from 'commander';
import { accounts } from '../accounts/accounts.ts';
import { grantFirstCredits } from '../billing/first-credit.ts';
import { systemClock } from '../core/clock.ts';
import { openStore, type Store } from '../store/store.ts';
import { CliError } from './output.ts';
import { type NamedGateway, placeOf } from './place.ts';

/**
 * Runs the work with the store that the options or the configuration file name, and closes it whatever happens. The
 * accounts that the file describes are there, whether the gateway has ever run with it or not.
 */
export async function withStore<Result>(
  command: Command,
  work: (store: Store, place: NamedGateway) => Promise<Result>,
): Promise<Result> {
  const place = placeOf(command);
  const store = await openAt(place);
  try {
    await accounts(store, systemClock).ensure(place.accounts);
    await grantFirstCredits(store, systemClock);
    return await work(store, place);
  } finally {
    await store.close();
  }
}

/** Says on stderr what is being waited for, where it disturbs no document. */
export function sayWaiting(sentence: string): void {
  console.error(sentence);
}

/** What keeps a store from being opened, and what to do about it. */
function storeFailure(error: unknown, storeName: string): CliError {
  const problem = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && 'fix' in error)
    return new CliError('store_unusable', { problem, fix: String(error.fix) }, { cause: error });
  return new CliError('store_not_opened', { store: storeName, problem }, { cause: error });
}

async function openAt({ data, database, storeName }: NamedGateway): Promise<Store> {
  try {
    return await openStore({ data, database, onWaiting: sayWaiting });
  } catch (error) {
    throw storeFailure(error, storeName);
  }
}
