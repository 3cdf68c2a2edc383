import type { Command } from 'commander';
import { storedResponses } from '../../responses/stored-responses.ts';
import type { BlobSum, SealedBlobs } from '../../blobs/sealed-blobs.ts';
import { withStore } from '../context.ts';
import { answer, table } from '../output.ts';

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

export async function listSums(command: Command, { blobs, counted, none }: SumsList): Promise<void> {
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
