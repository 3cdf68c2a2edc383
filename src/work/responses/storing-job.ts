import { type BytesStored, type SealedBlob, storeBlobs } from '../../platform/blobs/store-blobs.ts';
import { type Job, statementsFor } from '../../platform/store/job.ts';
import { insertion } from '../../platform/store/row-statements.ts';

/** The input and the response in one encrypted text. */
export interface SealedResponse extends SealedBlob {
  /** Ids of items that do not contain the id of their response. */
  readonly itemIds: readonly string[];
}

export const storingResponses: Job<readonly SealedResponse[], BytesStored> = {
  module: import.meta.url,
  name: 'storingResponses',
  steps: (responses) =>
    storeBlobs('responses', responses, (added) => statementsFor(insertItems, added.flatMap(itemFields).sort(byText))),
};

const insertItems = insertion(
  'stored_items',
  { account_id: 'text', item_id: 'text', response_id: 'text' },
  { onConflict: 'do nothing' },
);

function itemFields({ id, accountId, itemIds }: SealedResponse): readonly (readonly string[])[] {
  return itemIds.map((itemId) => [accountId, itemId, id]);
}

/** All processes insert items in the same order, so that they cannot deadlock. */
function byText(one: readonly string[], other: readonly string[]): number {
  const [left, right] = [one.join('\0'), other.join('\0')];
  return left < right ? -1 : Number(left > right);
}
