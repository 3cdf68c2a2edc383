import type { KeyObject } from 'node:crypto';
import { isOneOf, keyDigest, keyDigests, type Pepper } from '../../platform/secrets/key-digest.ts';

interface ProofSubject {
  readonly id: string;
  readonly email: string;
}

/** How long an e-mail may stay unread. */
const lifetimeMs = 86_400_000;
const wellFormed = /^gwa_([0-9a-z]{1,11})_([0-9a-f]{64})$/;

/**
 * A text that a user can only have from an e-mail to their address. It is not stored: it holds its own expiry, and its
 * digest covers the user and the address. Using it again proves nothing more.
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
