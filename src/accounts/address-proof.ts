import type { KeyObject } from 'node:crypto';
import { isOneOf, keyDigest, keyDigests, type Pepper } from './key-digest.ts';

interface ProofSubject {
  readonly id: string;
  readonly email: string;
}

/** As long as a letter may lie unread. */
const lifetimeMs = 86_400_000;
const wellFormed = /^gwa_([0-9a-z]{1,11})_([0-9a-f]{64})$/;

/**
 * What somebody can only have from a letter to their address. Nothing of it is stored: it says by itself whose it is and until
 * when, and it proves no more when it is used again.
 */
export function addressProof(pepper: KeyObject, user: ProofSubject, now: number): string {
  const until = (now + lifetimeMs).toString(36);
  return `gwa_${until}_${keyDigest(pepper, sentence(user, until))}`;
}

export function isAddressProof(
  pepper: Pepper,
  user: ProofSubject,
  proof: { readonly text: string; readonly now: number },
) {
  const [, until = '', digest = ''] = wellFormed.exec(proof.text) ?? [];
  return Number.parseInt(until, 36) > proof.now && isOneOf(keyDigests(pepper, sentence(user, until)), digest);
}

function sentence({ id, email }: ProofSubject, until: string): string {
  return `the address ${email} of ${id} until ${until}`;
}
