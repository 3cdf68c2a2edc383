import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** What the store keeps of a secret. Without the pepper a stolen store does not even allow to test a guess. */
export function keyDigest(pepper: KeyObject, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex');
}

/** Compares in a time that does not depend on where the digests differ. */
export function sameDigest(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
