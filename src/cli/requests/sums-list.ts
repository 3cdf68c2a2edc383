import type { Command } from 'commander';
import type { BlobSum, SealedBlobs } from '../../blobs/sealed-blobs.ts';
import { withStore } from '../context.ts';
import { answer, table } from '../output.ts';

/** Maximum number of accounts in the list. */
const accountsMax = 1000;

interface SumsList {
  readonly blobs: SealedBlobs;
  /** Name of the counted things: the heading and the JSON field. */
  readonly counted: string;
  /** Text for an empty list. */
  readonly none: string;
}

/** Prints counts and sizes for each account, and the total. */
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
