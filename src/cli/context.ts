import type { Command } from 'commander';
import { accounts } from '../accounts/accounts.ts';
import { grantFirstCredits } from '../billing/ledger/first-credit.ts';
import { systemClock } from '../core/time/clock.ts';
import { openStore, type Store } from '../store/store.ts';
import { CliError } from './output.ts';
import { type NamedGateway, resolveGateway } from './place.ts';

/**
 * Runs the work with the store that the options or the configuration file name, and always closes the store. First
 * creates the organisations and accounts of the file, because the gateway may never have run with it.
 */
export async function withStore<Result>(
  command: Command,
  work: (store: Store, target: NamedGateway) => Promise<Result>,
): Promise<Result> {
  const target = resolveGateway(command);
  const store = await openAt(target);
  try {
    await accounts(store, systemClock).ensure(target.accounts, target.organisations);
    await grantFirstCredits(store, systemClock);
    return await work(store, target);
  } finally {
    await store.close();
  }
}

/** Prints what the command waits for. Uses stderr, so that the document on stdout stays valid. */
export function printWaiting(sentence: string): void {
  console.error(sentence);
}

function storeFailure(error: unknown, storeName: string): CliError {
  const problem = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && 'fix' in error)
    return new CliError('store_unusable', { problem, fix: String(error.fix) }, { cause: error });
  return new CliError('store_not_opened', { store: storeName, problem }, { cause: error });
}

async function openAt({ data, database, storeName }: NamedGateway): Promise<Store> {
  try {
    return await openStore({ data, database, onWaiting: printWaiting });
  } catch (error) {
    throw storeFailure(error, storeName);
  }
}
