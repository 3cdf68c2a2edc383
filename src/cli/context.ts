import type { Command } from 'commander';
import { accounts } from '../accounts/accounts.ts';
import { systemClock } from '../core/clock.ts';
import { openStore, type Store } from '../store/store.ts';
import { CliError } from './output.ts';
import { type Place, placeOf } from './place.ts';

/**
 * Runs the work with the store that `--config`, `--data` or neither of them names, and closes it whatever happens. The
 * accounts that the file describes are there, whether the gateway has ever run with it or not.
 */
export async function withStore<Result>(
  command: Command,
  work: (store: Store, place: Place) => Promise<Result>,
): Promise<Result> {
  const place = placeOf(command);
  const store = await openAt(place.data);
  try {
    await accounts(store, systemClock).ensure(place.accounts);
    return await work(store, place);
  } finally {
    await store.close();
  }
}

async function openAt(data: string): Promise<Store> {
  try {
    return await openStore({ data });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`The store in ${data} cannot be opened: ${reason}`, {
      next: 'Name the right folder with --data DIR or --config FILE, and check that you may write there.',
      cause: error,
    });
  }
}
