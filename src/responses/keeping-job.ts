import { statementsFor, type FieldValue, type Job, jsonText, type Row, type Steps } from '../store/job.ts';
import { addition, type Columns, insertion, selection } from '../store/row-statements.ts';

/** A response as stored. */
export interface StoredResponse {
  readonly id: string;
  readonly accountId: string;
  readonly model: string;
  readonly previousId: string | undefined;
  readonly createdAt: number;
  /** Input and response, encrypted by the vault. */
  readonly sealed: string;
  /** Ids of items that do not contain the id of their response. */
  readonly itemIds: readonly string[];
}

/** Stored bytes of each account. */
type BytesKept = ReadonlyMap<string, number>;

/**
 * Stores responses and updates the sums in one transaction. Existing responses are not counted again, because an
 * unconfirmed commit may have taken place.
 */
export const keepingResponses: Job<readonly StoredResponse[], BytesKept> = {
  module: import.meta.url,
  name: 'keepingResponses',
  *steps(responses): Steps<BytesKept> {
    const [stored = []] = yield statementsFor(insertResponses, responses.map(responseFields));
    const ids = new Set(stored.map(({ written }: Row) => written));
    const added = responses.filter(({ id }) => ids.delete(id));
    if (added.length === 0) return { last: [], result: new Map() };
    const accounts = [...new Set(added.map(({ accountId }) => accountId))].sort();
    const items = statementsFor(insertItems, added.flatMap(itemFields).sort(byText));
    // All processes update accounts in the same order, so that they cannot deadlock.
    const sums = statementsFor(
      addSums,
      accounts.map((accountId) => sumFields(accountId, added)),
    );
    const rows = yield [...items, ...sums, { statement: accountSums, parameter: jsonText({ accounts }) }];
    return { last: [], result: new Map(rows.at(-1)?.map((row) => [String(row['account_id']), Number(row['bytes'])])) };
  },
};

const responseColumns: Columns = {
  id: 'text',
  account_id: 'text',
  model: 'text',
  previous_id: 'text',
  created_at: 'bigint',
  bytes: 'bigint',
  sealed: 'text',
};

const insertResponses = insertion('kept_responses', responseColumns, {
  onConflict: '(id) do nothing',
  returnsWritten: true,
});

const insertItems = insertion(
  'kept_items',
  { account_id: 'text', item_id: 'text', response_id: 'text' },
  { onConflict: 'do nothing' },
);

const addSums = addition('kept_sums', { account_id: 'text' }, ['responses', 'bytes']);

const accountSums = selection(
  'sums of kept responses',
  'select account_id, bytes from kept_sums where account_id in @accounts',
);

/** Size of a response in the store. */
export function bytesOf({ sealed }: StoredResponse): number {
  return Buffer.byteLength(sealed);
}

function responseFields(response: StoredResponse): readonly FieldValue[] {
  const { id, accountId, model, previousId, createdAt, sealed } = response;
  return [id, accountId, model, previousId ?? null, createdAt, bytesOf(response), sealed];
}

function itemFields({ id, accountId, itemIds }: StoredResponse): readonly (readonly string[])[] {
  return itemIds.map((itemId) => [accountId, itemId, id]);
}

function sumFields(accountId: string, added: readonly StoredResponse[]): readonly FieldValue[] {
  const own = added.filter((response) => response.accountId === accountId);
  return [accountId, own.length, own.reduce((sum, response) => sum + bytesOf(response), 0)];
}

function byText(one: readonly string[], other: readonly string[]): number {
  const [left, right] = [one.join('\0'), other.join('\0')];
  return left < right ? -1 : Number(left > right);
}
