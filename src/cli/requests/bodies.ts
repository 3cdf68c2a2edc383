import type { Command } from 'commander';
import type { ApiKey } from '../../money/accounts/keys.ts';
import { bodyEndpoints } from '../../manage/admin/requests/stored-bodies.ts';
import { storedBodies } from '../../work/bodies/stored-bodies.ts';
import { type EndpointCaller, withAdmin } from '../admin-call.ts';
import { keyOf } from '../accounts/keys.ts';
import { answer, CliError, table } from '../terminal/output.ts';
import { storedResponses } from '../../work/responses/stored-responses.ts';
import type { BlobSum, SealedBlobs } from '../../platform/blobs/sealed-blobs.ts';
import { withStore } from '../context.ts';

export function registerBodies(program: Command): void {
  const noun = program
    .command('bodies')
    .description('Manage stored request bodies. They are stored only for keys that opt in.');
  noun
    .command('list')
    .description('List the number and size of stored bodies by account. Only the account can read them.')
    .action((_options: unknown, command: Command) =>
      listSums(command, { blobs: storedBodies, counted: 'requests', none: 'No bodies are stored.' }),
    );
  noun
    .command('delete')
    .option('--request <id>', 'delete the bodies of one request, by its id or the id of its response')
    .option('--key <key>', 'delete the bodies of all requests of a key, by id, name or masked key')
    .description('Delete stored bodies immediately.')
    .action(remove);
}

interface DeleteOptions {
  readonly request?: string;
  readonly key?: string;
}

async function remove({ request, key }: DeleteOptions, command: Command): Promise<void> {
  if ((request === undefined) === (key === undefined)) {
    throw new CliError('bodies_not_selected', {}, { exitCode: 2 });
  }
  await withAdmin(command, async (call, store) => {
    const deleted =
      request === undefined
        ? await removeOfKey(call, await keyOf(store, key ?? ''))
        : (await call<DeletedBodies>(bodyEndpoints, 'deleteBodies', { id: request })).deleted;
    answer(command, {
      json: { deleted },
      text: () => (deleted === 0 ? 'No bodies were stored.' : `Deleted the bodies of ${deleted} requests.`),
    });
  });
}

interface DeletedBodies {
  readonly deleted: number;
  readonly more: boolean;
}

/** Deletes in batches, so that a running gateway is not locked out of the store. */
async function removeOfKey(call: EndpointCaller, { id }: ApiKey): Promise<number> {
  let all = 0;
  for (let isMore = true; isMore; ) {
    const { deleted, more } = await call<DeletedBodies>(bodyEndpoints, 'deleteKeyBodies', { id });
    all += deleted;
    isMore = more;
  }
  return all;
}

export function registerResponses(program: Command): void {
  const noun = program.command('responses').description('Show stored responses. Later requests can refer to them.');
  noun
    .command('list')
    .description('List the number and size of stored responses by account. Their contents are never shown.')
    .action((_options: unknown, command: Command) =>
      listSums(command, { blobs: storedResponses, counted: 'responses', none: 'No responses are stored.' }),
    );
}

const accountsMax = 1000;

interface SumsList {
  readonly blobs: SealedBlobs;
  /** Name of the counted things: the heading and the JSON field. */
  readonly counted: string;
  readonly none: string;
}

async function listSums(command: Command, { blobs, counted, none }: SumsList): Promise<void> {
  await withStore(command, async (store) => {
    const sums = await blobs.most(store, accountsMax);
    const total = await blobs.total(store);
    const fields = ({ count, bytes }: BlobSum) => ({ [counted]: count, bytes });
    const figures = ({ count, bytes }: BlobSum) => [String(count), String(bytes)];
    const rows = () => [...sums.map((sum) => [sum.account, ...figures(sum)]), ['all', ...figures(total)]];
    answer(command, {
      json: {
        ...fields(total),
        accounts: sums.map((sum) => ({ account_id: sum.accountId, account: sum.account, ...fields(sum) })),
      },
      text: () => (sums.length === 0 ? none : table(['account', counted, 'bytes'], rows())),
    });
  });
}
