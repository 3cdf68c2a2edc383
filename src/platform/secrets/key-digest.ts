import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/time/clock.ts';
import type { Store } from '../store/store.ts';

/** The secret of the gateway. During a rotation, `others` are secrets with which stored data may still be sealed. */
export type Pepper = KeyObject & {
  readonly others?: readonly KeyObject[];
  /** The secret with which the store was created, if it is another one. */
  readonly founding?: KeyObject;
};

/** For functions that create secrets or look them up. */
export interface SecretParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Pepper;
}

/** The store keeps only this digest of a secret. Without the pepper, a stolen store cannot be used to test guesses. */
export function keyDigest(pepper: KeyObject, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex');
}

/** All digests under which the store may hold a secret. New rows use the first. */
export function keyDigests(pepper: Pepper, secret: string): readonly [string, ...string[]] {
  return [keyDigest(pepper, secret), ...(pepper.others ?? []).map((each) => keyDigest(each, secret))];
}

/** Compares in constant time. */
export function sameDigest(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Compares with each digest in constant time. */
export function isOneOf(digests: readonly string[], digest: string): boolean {
  return digests.some((each) => sameDigest(each, digest));
}

/** Identifies a pepper in the settings of a store, without revealing it. */
export function markOf(pepper: KeyObject): string {
  return keyDigest(pepper, 'the pepper of this store');
}

/** Short id of a pepper, stored next to each digest that was made with it. */
export function secretId(pepper: KeyObject): string {
  return markOf(pepper).slice(0, 16);
}
