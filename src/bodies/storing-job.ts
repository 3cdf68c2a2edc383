import { statementsFor, type FieldValue, type Job, jsonText, type Row, type Steps } from '../store/job.ts';
import { addition, type Columns, insertion, selection } from '../store/row-statements.ts';

/** The bodies of a request as stored. */
export interface BodyRow {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly storedAt: number;
  /** Full lengths of the bodies, even if they were truncated. */
  readonly requestBytes: number;
  readonly answerBytes: number;
  readonly sealed: string;
}

/** Stored bytes of each account. */
type BytesStored = ReadonlyMap<string, number>;

/**
 * Stores bodies and updates the sums in one transaction. A body is stored only if its key opts in now, whatever it did
 * when the request began, and if it was not deleted. Existing bodies are not counted again, because an unconfirmed
 * commit may have taken place. Until the commit, the keys are locked against changes and deletions.
 */
export const storingBodies: Job<readonly BodyRow[], BytesStored> = {
  module: import.meta.url,
  name: 'storingBodies',
  *steps(bodies): Steps<BytesStored> {
    const keys = [...new Set(bodies.map(({ keyId }) => keyId))];
    const subjects = [...keys, ...bodies.map(({ requestId }) => requestId)];
    const [storing = [], deletions = []] = yield [
      { statement: storingKeys, parameter: jsonText({ keys }) },
      { statement: matchingDeletions, parameter: jsonText({ subjects }) },
    ];
    const wanted = bodies.filter(isWanted(storing, deletions));
    const [stored = []] = yield statementsFor(insertBodies, wanted.map(fieldsOf));
    const ids = new Set(stored.map(({ written }: Row) => written));
    const added = bodies.filter(({ requestId }) => ids.delete(requestId));
    if (added.length === 0) return { last: [], result: new Map() };
    // All processes update accounts in the same order, so that they cannot deadlock.
    const accounts = [...new Set(added.map(({ accountId }) => accountId))].sort();
    const sums = statementsFor(
      addSums,
      accounts.map((accountId) => sumFields(accountId, added)),
    );
    const rows = yield [...sums, { statement: accountSums, parameter: jsonText({ accounts }) }];
    return { last: [], result: new Map(rows.at(-1)?.map((row) => [String(row['account_id']), Number(row['bytes'])])) };
  },
};

const columns: Columns = {
  request_id: 'text',
  account_id: 'text',
  key_id: 'text',
  stored_at: 'bigint',
  request_bytes: 'bigint',
  answer_bytes: 'bigint',
  bytes: 'bigint',
  sealed: 'text',
};
const insertBodies = insertion('stored_bodies', columns, {
  onConflict: '(request_id) do nothing',
  returnsWritten: true,
});
const addSums = addition('stored_body_sums', { account_id: 'text' }, ['requests', 'bytes']);
const storingKeys = selection(
  'keys that store bodies',
  'select id from api_keys where store_bodies = 1 and id in @keys order by id',
  'for share',
);
const matchingDeletions = selection(
  'deletions of bodies',
  'select subject, deleted_at from deleted_bodies where subject in @subjects',
);
const accountSums = selection(
  'sums of stored bodies',
  'select account_id, bytes from stored_body_sums where account_id in @accounts',
);

/**
 * A deleted request never gets bodies again. A key whose bodies were deleted gets those of requests that ended later.
 */
function isWanted(storing: readonly Row[], deletions: readonly Row[]): (body: BodyRow) => boolean {
  const keys = new Set(storing.map((row) => row['id']));
  const deletedAt = new Map(deletions.map((row) => [row['subject'], Number(row['deleted_at'])]));
  return ({ requestId, keyId, storedAt }) =>
    keys.has(keyId) && !deletedAt.has(requestId) && storedAt > (deletedAt.get(keyId) ?? Number.NEGATIVE_INFINITY);
}

function fieldsOf(row: BodyRow): readonly FieldValue[] {
  const { requestId, accountId, keyId, storedAt, requestBytes, answerBytes, sealed } = row;
  return [requestId, accountId, keyId, storedAt, requestBytes, answerBytes, sealed.length, sealed];
}

function sumFields(accountId: string, added: readonly BodyRow[]): readonly FieldValue[] {
  const own = added.filter((row) => row.accountId === accountId);
  return [accountId, own.length, own.reduce((sum, { sealed }) => sum + sealed.length, 0)];
}
