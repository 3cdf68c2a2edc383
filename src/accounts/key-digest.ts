import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The secret of the gateway. While it is being changed there are others, which open what was made with them. */
export type Pepper = KeyObject & {
  readonly others?: readonly KeyObject[];
  /** The one that the store was made with, where it is another. */
  readonly founding?: KeyObject;
};

/** What the store keeps of a secret. Without the pepper a stolen store does not even allow to test a guess. */
export function keyDigest(pepper: KeyObject, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex');
}

/** The digests that the store may have of a secret; new ones are made like the first. */
export function keyDigests(pepper: Pepper, secret: string): readonly [string, ...string[]] {
  return [keyDigest(pepper, secret), ...(pepper.others ?? []).map((each) => keyDigest(each, secret))];
}

/** Compares in a time that does not depend on where the digests differ. */
export function sameDigest(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Whether it is one of these, likewise. */
export function isOneOf(digests: readonly string[], digest: string): boolean {
  return digests.some((each) => sameDigest(each, digest));
}

/** What a store remembers of its secret. */
export function markOf(pepper: KeyObject): string {
  return keyDigest(pepper, 'the pepper of this store');
}

/** Names the secret that a digest was made with, beside the digest. */
export function secretId(pepper: KeyObject): string {
  return markOf(pepper).slice(0, 16);
}
