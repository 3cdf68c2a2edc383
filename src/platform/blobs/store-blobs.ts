import { counterTable } from '../store/counters.ts';
import { type FieldValue, type JobStatement, jsonText, type Row, statementsFor, type Steps } from '../store/job.ts';
import { insertion, selection } from '../store/row-statements.ts';
import type { BlobKind } from '../store/tables/blobs.ts';

/** A blob to store. Its size is that of `sealed`, which is ASCII. */
export interface SealedBlob {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly sealed: string;
  readonly previousId?: string | undefined;
  readonly keyId?: string;
  readonly requestBytes?: number;
  readonly answerBytes?: number;
}

export type BytesStored = ReadonlyMap<string, number>;

/** Existing blobs are not counted again, because an unconfirmed commit may have taken place. */
export function* storeBlobs<Each extends SealedBlob>(
  kind: BlobKind,
  blobs: readonly Each[],
  references: (added: readonly Each[]) => readonly JobStatement[] = () => [],
): Steps<BytesStored> {
  const [stored = []] = yield statementsFor(
    insertBlobs,
    blobs.map((blob) => fieldsOf(kind, blob)),
  );
  const ids = new Set(stored.map(({ written }: Row) => written));
  const added = blobs.filter(({ id }) => ids.delete(id));
  if (added.length === 0) return { last: [], result: new Map() };
  const accounts = [...new Set(added.map(({ accountId }) => accountId))];
  const sums = added.map(({ accountId, sealed }) => ({ kind, account_id: accountId, blobs: 1, bytes: sealed.length }));
  // All processes write references before sums, so that they cannot deadlock.
  const rows = yield [
    ...references(added),
    ...blobSums.add(sums),
    { statement: accountSums, parameter: jsonText({ kinds: [kind], accounts }) },
  ];
  return { last: [], result: new Map(rows.at(-1)?.map((row) => [String(row['account_id']), Number(row['bytes'])])) };
}

const insertBlobs = insertion(
  'sealed_blobs',
  {
    id: 'text',
    kind: 'text',
    account_id: 'text',
    created_at: 'bigint',
    bytes: 'bigint',
    previous_id: 'text',
    key_id: 'text',
    request_bytes: 'bigint',
    answer_bytes: 'bigint',
    sealed: 'text',
  },
  { onConflict: '(kind, id) do nothing', returnsWritten: true },
);

const blobSums = counterTable('blob_sums', { kind: 'text', account_id: 'text' }, ['blobs', 'bytes']);

const accountSums = selection(
  'sums of blobs',
  'select account_id, bytes from blob_sums where kind in @kinds and account_id in @accounts',
);

function fieldsOf(kind: BlobKind, blob: SealedBlob): readonly FieldValue[] {
  const { id, accountId, createdAt, sealed, previousId, keyId, requestBytes, answerBytes } = blob;
  const optional = [previousId, keyId, requestBytes, answerBytes].map((value) => value ?? null);
  return [id, kind, accountId, createdAt, sealed.length, ...optional, sealed];
}
