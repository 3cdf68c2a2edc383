import { hash, type KeyObject } from 'node:crypto';
import { newApiPart } from '../../core/foreign-key.ts';
import type { KeyScheme } from '../../platform/store/tables/columns.ts';
import { keyDigest, type Pepper } from '../../platform/secrets/key-digest.ts';
import { displayForm, foreignDisplay, wellFormed } from './secret-format.ts';

/** A digest under which the store may hold a key, and the schemes with which the key may be stored under it. */
export interface KeyCandidate {
  readonly digest: string;
  readonly schemes: readonly (KeyScheme | null)[];
}

/** The digests of a secret that a client sent, so that the secret itself is not kept. */
export interface SentKey {
  readonly candidates: readonly KeyCandidate[];
  /** The ordinary digest, with the current pepper. */
  readonly digest: string;
  /** The digest of the part that new-api stores, with the current pepper. */
  readonly newApiDigest: string | undefined;
  readonly display: string;
}

/**
 * Each digest belongs to its schemes: otherwise a stolen list of SHA-256 digests would be a list of keys. Digests of
 * older peppers and of imports come first: a key whose digest another process replaces meanwhile is found by one of them.
 */
export function sentKey(pepper: Pepper, secret: string): SentKey {
  const peppers = [...(pepper.others ?? []).toReversed(), pepper];
  if (wellFormed(secret)) {
    const candidates = peppers.map((each) => ({ digest: keyDigest(each, secret), schemes: ownSchemes }));
    return { candidates, digest: digestIn(candidates), newApiDigest: undefined, display: displayForm(secret) };
  }
  const part = newApiPart(secret);
  const candidates = peppers.flatMap((each) => foreignCandidates(each, secret, part));
  const newApiDigest = part === undefined ? undefined : keyDigest(pepper, part);
  return { candidates, digest: digestIn(candidates), newApiDigest, display: foreignDisplay(secret) };
}

/** The digest of the current pepper is the last one. */
function digestIn(candidates: readonly KeyCandidate[]): string {
  return candidates.at(-1)?.digest ?? '';
}

/** The digest that the store should have of a key whose secret was sent. The digest of an import becomes the ordinary one. */
export function currentForm(sent: SentKey, scheme: KeyScheme | null) {
  if (scheme === 'new-api') return { digest: sent.newApiDigest ?? sent.digest, scheme };
  if (scheme === 'sha256') return { digest: sent.digest, scheme: 'plain' as const, display: sent.display };
  return { digest: sent.digest, scheme };
}

/** A key whose stored digest is known, but not its secret. Its form stays as it is. */
export function sentDigest(digest: string): SentKey {
  return { candidates: [{ digest, schemes: everyScheme }], digest, newApiDigest: digest, display: '' };
}

const everyScheme = [null, 'plain', 'new-api', 'sha256'] as const;
const ownSchemes = [null, 'plain'] as const;
const imported = ['sha256'] as const;
const ofNewApi = ['new-api'] as const;
const ownAndNewApi = [null, 'plain', 'new-api'] as const;

function foreignCandidates(pepper: KeyObject, secret: string, part: string | undefined): readonly KeyCandidate[] {
  const isWhole = part === undefined || part === secret;
  return [
    { digest: keyDigest(pepper, sha256Hex(secret)), schemes: imported },
    ...(isWhole ? [] : [{ digest: keyDigest(pepper, part), schemes: ofNewApi }]),
    { digest: keyDigest(pepper, secret), schemes: part === secret ? ownAndNewApi : ownSchemes },
  ];
}

function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}
