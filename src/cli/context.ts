import type { Command } from 'commander';
import { accounts } from '../money/accounts/accounts.ts';
import { grantFirstCredits } from '../money/billing/ledger/first-credit.ts';
import { systemClock } from '../core/time/clock.ts';
import { openStore, type Store } from '../platform/store/store.ts';
import { CliError } from './terminal/output.ts';
import { hasStore, type NamedGateway, resolveGateway } from './place.ts';

/**
 * Runs the work with the store that the options or the configuration file name, and always closes the store. First
 * creates the organisations and accounts of the file, because the gateway may never have run with it.
 */
export async function withStore<Result>(
  command: Command,
  work: (store: Store, target: NamedGateway) => Promise<Result>,
): Promise<Result> {
  const target = resolveGateway(command);
  if (lacksStore(command, target)) throw new CliError('store_not_found', { data: target.data });
  const store = await openAt(target);
  try {
    await accounts(store, systemClock).ensure(target.accounts, target.organisations);
    await grantFirstCredits(store, systemClock);
    return await work(store, target);
  } finally {
    await store.close();
  }
}

/** The names of all commands that only read the store. */
const readingCommands: ReadonlySet<string> = new Set([
  'deliveries',
  'list',
  'members',
  'reconcile',
  'show',
  'usage',
  'verify',
]);

/**
 * Whether the command needs a store that is absent: a wrong folder would look like an empty store. Before the first
 * start, commands may change a new store, or show the accounts that the file describes.
 */
function lacksStore(command: Command, target: NamedGateway): boolean {
  const describesAccounts = target.accounts.length + target.organisations.length > 0;
  return readingCommands.has(command.name()) && !describesAccounts && !hasStore(target);
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
