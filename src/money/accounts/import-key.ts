import type { Kysely } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { broken, type FieldProblem, reason } from 'chat-formats/reasons/reason.ts';
import type { Database } from '../../platform/store/database.ts';
import { brokenKeyRule } from '../../core/foreign-key.ts';
import { currentForm, type KeyCandidate, sentKey } from './key-candidates.ts';
import { keyDigest, keyDigests, type Pepper, secretId } from '../../platform/secrets/key-digest.ts';
import {
  type ApiKey,
  endKey,
  insertKey,
  keyFrom,
  type KeyRow,
  type NewKey,
  newKeyRow,
  type StoredSecret,
} from './keys.ts';

/**
 * The secret of a key of another product: the secret itself, or its SHA-256 digest in hexadecimal. With the scheme
 * `new-api`, clients may send `sk-` in front of it or leave it out.
 */
export type ForeignSecret =
  | { readonly scheme: 'plain' | 'new-api'; readonly secret: string }
  | { readonly scheme: 'sha256'; readonly sha256: string };

interface ImportParts {
  readonly clock: Clock;
  readonly pepper: Pepper;
}

interface ImportedKey {
  readonly key: ApiKey;
  /** Whether the key was imported now. Otherwise it existed, and is unchanged. */
  readonly isNew: boolean;
}

/**
 * Imports a key inside the given transaction, which must hold `importLock` or another lock that admits one import at a
 * time. A key that the account already has stays unchanged. Throws for an invalid secret, and for one that another
 * account uses. A digest cannot be compared with secrets: after the first use of its key, the same digest is a new key.
 */
export async function importKey(
  tx: Kysely<Database>,
  { clock, pepper }: ImportParts,
  key: NewKey,
  foreign: ForeignSecret,
): Promise<ImportedKey> {
  const problem = foreignProblem(foreign);
  if (problem) throw new GatewayError('invalid-request', { problems: [problem] });
  const known = await storedKey(tx, pepper, foreign);
  if (known && known.account_id !== key.accountId) {
    throw new GatewayError('invalid-request', { reason: reason('key_of_other_account', { name: key.name }) });
  }
  if (known) return { key: keyFrom(known), isNew: false };
  const row = newKeyRow(key, { now: clock.now(), stored: importedSecret(pepper, foreign) });
  await insertKey(tx, row);
  return { key: keyFrom(row), isNew: true };
}

/**
 * Follows a change of the secret in the other product: the key is revoked, and a key with the same terms and the new
 * secret replaces it. A key that was revoked before is not replaced, and a secret that was in use before stays revoked.
 * The old secret ends also if the new one is invalid, for which it throws.
 */
export async function renewKey(
  tx: Kysely<Database>,
  { clock, pepper }: ImportParts,
  id: string,
  foreign: ForeignSecret,
): Promise<ImportedKey> {
  const before = await tx.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const problem = foreignProblem(foreign);
  if (!problem && candidatesOf(pepper, foreign).some((each) => isSame(each, before)))
    return { key: keyFrom(before), isNew: false };
  const now = clock.now();
  const wasActive = await endKey(tx, id, now);
  if (problem) throw new GatewayError('invalid-request', { problems: [problem] });
  const known = await storedKey(tx, pepper, foreign);
  if (known || !wasActive) return { key: { ...keyFrom(before), revokedAt: before.revoked_at ?? now }, isNew: false };
  const row = newKeyRow(keyFrom(before), { now, stored: importedSecret(pepper, foreign), before: keyFrom(before) });
  await insertKey(tx, row);
  return { key: keyFrom(row), isNew: true };
}

/** Makes an imported key share the limits of the key that replaced it. */
export async function shareLimits(tx: Kysely<Database>, id: string, replacementId: string): Promise<void> {
  await tx.updateTable('api_keys').set({ first_id: replacementId }).where('id', '=', id).execute();
}

/** Two imports of the same key run one after another. */
export const importLock = { lock: 'key-import' };

function foreignProblem(foreign: ForeignSecret): FieldProblem | undefined {
  if (foreign.scheme === 'sha256') {
    return /^[0-9a-f]{64}$/i.test(foreign.sha256) ? undefined : { field: 'sha256', ...broken('not_a_digest') };
  }
  const rule = brokenKeyRule(foreign.secret, foreign.scheme);
  return rule && { field: 'secret', ...rule };
}

export function importedSecret(pepper: Pepper, foreign: ForeignSecret): StoredSecret {
  const { scheme } = foreign;
  const stored = { digest_secret: secretId(pepper), scheme };
  if (scheme === 'sha256') {
    const sha256 = foreign.sha256.toLowerCase();
    return { ...stored, digest: keyDigest(pepper, sha256), display: `sha256:${sha256.slice(0, 4)}…` };
  }
  const sent = sentKey(pepper, foreign.secret);
  return { ...stored, digest: currentForm(sent, scheme).digest, display: sent.display };
}

/**
 * The key that has this secret, as far as that can be known. Throws if the secret of one key is the digest of another:
 * the digest would be accepted as a key.
 */
export async function storedKey(
  db: Kysely<Database>,
  pepper: Pepper,
  foreign: ForeignSecret,
): Promise<KeyRow | undefined> {
  const candidates = candidatesOf(pepper, foreign);
  const digests = candidates.map(({ digest }) => digest);
  const rows = await db.selectFrom('api_keys').selectAll().where('digest', 'in', digests).execute();
  const known = rows.find((row) => candidates.some((each) => isSame(each, row)));
  const stored = importedSecret(pepper, foreign);
  if (!known && rows.some(({ digest }) => digest === stored.digest)) {
    throw new GatewayError('invalid-request', { reason: reason('key_is_digest') });
  }
  return known;
}

function isSame({ digest, schemes }: KeyCandidate, row: KeyRow): boolean {
  return row.digest === digest && schemes.includes(row.scheme);
}

function candidatesOf(pepper: Pepper, foreign: ForeignSecret): readonly KeyCandidate[] {
  if (foreign.scheme !== 'sha256') return sentKey(pepper, foreign.secret).candidates;
  const digests = keyDigests(pepper, foreign.sha256.toLowerCase());
  return digests.map((digest) => ({ digest, schemes: ['sha256'] }));
}
