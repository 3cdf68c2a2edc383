import type { Command } from 'commander';
import { requestDetail } from '../admin/request-detail.ts';
import { bodyRows, deleteBodiesOfKey, deleteBodiesOfRequest } from '../bodies/stored-bodies.ts';
import { systemClock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { audited } from './audited.ts';
import { withStore } from './context.ts';
import { keyOf } from './keys.ts';
import { answer, CliError } from './output.ts';
import { accountsMax, answerSums } from './sums-list.ts';

export function registerBodies(program: Command): void {
  const noun = program
    .command('bodies')
    .description('Manage stored request bodies. They are stored only for keys that opt in.');
  noun
    .command('list')
    .description('List the number and size of stored bodies by account. Only the account can read them.')
    .action(list);
  noun
    .command('delete')
    .option('--request <id>', 'delete the bodies of one request, by its id or the id of its response')
    .option('--key <key>', 'delete the bodies of all requests of a key, by id, name or masked key')
    .description('Delete stored bodies immediately.')
    .action(remove);
}

async function list(_options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const sums = await bodyRows.most(store, accountsMax);
    const total = await bodyRows.total(store);
    answerSums(command, { counted: 'requests', sums, total, none: 'No bodies are stored.' });
  });
}

interface DeleteOptions {
  readonly request?: string;
  readonly key?: string;
}

async function remove({ request, key }: DeleteOptions, command: Command): Promise<void> {
  if ((request === undefined) === (key === undefined)) {
    throw new CliError('bodies_not_selected', {}, { exitCode: 2 });
  }
  await withStore(command, async (store, { storeName }) => {
    const deleted =
      request === undefined ? await removeOfKey(store, key ?? '') : await removeOfRequest(store, request, storeName);
    answer(command, {
      json: { deleted },
      text: () => (deleted === 0 ? 'No bodies were stored.' : `Deleted the bodies of ${deleted} requests.`),
    });
  });
}

async function removeOfRequest(store: Store, name: string, storeName: string): Promise<number> {
  const detail = await requestDetail(store, name);
  if (!detail) throw new CliError('request_not_found', { request: name, store: storeName });
  const { id, accountId, keyId } = detail;
  return audited(store, 'deleteBodies', async (inside) => {
    const deleted = await deleteBodiesOfRequest(inside, { id, accountId, keyId, at: systemClock.now() });
    const change = { kind: 'request', id, accounts: [accountId], before: { stored_bodies: deleted } };
    return { result: deleted, change: deleted > 0 ? change : undefined };
  });
}

/** Deletes in batches, so that a running gateway is not locked out of the store. */
async function removeOfKey(store: Store, reference: string): Promise<number> {
  const { id } = await keyOf(store, reference);
  let all = 0;
  for (let isMore = true; isMore; ) {
    const { deleted, more } = await audited(store, 'deleteKeyBodies', async (inside) => {
      const result = await deleteBodiesOfKey(inside, { keyId: id, at: systemClock.now() });
      const change = { kind: 'key', id, before: { stored_bodies: result.deleted } };
      return { result, change: result.deleted > 0 ? change : undefined };
    });
    all += deleted;
    isMore = more;
  }
  return all;
}
