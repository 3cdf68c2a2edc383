import { type BytesStored, type SealedBlob, storeBlobs } from '../../platform/blobs/store-blobs.ts';
import { type Job, jsonText, type Row, type Steps } from '../../platform/store/job.ts';
import { selection } from '../../platform/store/row-statements.ts';

/** Both bodies of a request in one encrypted text. Its id is that of the request. */
export interface SealedBodies extends SealedBlob {
  readonly keyId: string;
  /** Full lengths of the bodies, even if they were truncated. */
  readonly requestBytes: number;
  readonly answerBytes: number;
}

/** Only if their key opts in now and they were not deleted. Until the commit, the keys are locked. */
export const storingBodies: Job<readonly SealedBodies[], BytesStored> = {
  module: import.meta.url,
  name: 'storingBodies',
  *steps(bodies): Steps<BytesStored> {
    const keys = [...new Set(bodies.map(({ keyId }) => keyId))];
    const subjects = [...keys, ...bodies.map(({ id }) => id)];
    const [storing = [], deletions = []] = yield [
      { statement: storingKeys, parameter: jsonText({ keys }) },
      { statement: matchingDeletions, parameter: jsonText({ subjects }) },
    ];
    return yield* storeBlobs('bodies', bodies.filter(isWanted(storing, deletions)));
  },
};

const storingKeys = selection(
  'keys that store bodies',
  'select id from api_keys where store_bodies = 1 and id in @keys order by id',
  'for share',
);
const matchingDeletions = selection(
  'deletions of bodies',
  'select subject, deleted_at from deleted_bodies where subject in @subjects',
);

/** A deleted request never gets bodies again; a key gets those of requests that ended after its deletion. */
function isWanted(storing: readonly Row[], deletions: readonly Row[]): (bodies: SealedBodies) => boolean {
  const keys = new Set(storing.map((row) => row['id']));
  const deletedAt = new Map(deletions.map((row) => [row['subject'], Number(row['deleted_at'])]));
  return ({ id, keyId, createdAt }) =>
    keys.has(keyId) && !deletedAt.has(id) && createdAt > (deletedAt.get(keyId) ?? Number.NEGATIVE_INFINITY);
}
