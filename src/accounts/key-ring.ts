import { defaultTimeZone } from '../core/calendar-day.ts';
import { hash } from 'node:crypto';
import type { StoreChange, ChangeFeed } from '../cluster/change-feed.ts';
import { addressRanges } from '../core/address-ranges.ts';
import type { KeyHolder } from '../core/caller.ts';
import { capPeriods, type Renewal } from '../core/cap-period.ts';
import { recentlyUsed } from '../core/recently-used.ts';
import { isOneOf, keyDigests, type Pepper, secretId } from './key-digest.ts';
import { wellFormed } from './key-format.ts';
import { keyLookup, type KeyLookupParts, type StoredKey } from './key-lookup.ts';
import { type KeyUsage, keyUsage } from './key-usage.ts';

/** Knows whose key a secret is. */
export interface KeyRing {
  /**
   * The holder of a usable key. Answers at once and without the store for text that cannot be a key and for keys in
   * memory; a promise means that the store is being asked.
   */
  holder(secret: string | undefined): KeyHolder | undefined | Promise<KeyHolder | undefined>;
  /** The same for keys in memory alone: nobody is asked. */
  known(secret: string | undefined): KeyHolder | undefined;
  /** Whose key it was when there was last news of it: to be trusted with nothing until `holder` says the same. */
  remembered(secret: string | undefined): KeyHolder | undefined;
  start(): void;
  stop(): Promise<void>;
}

export interface KeyRingParts extends KeyLookupParts {
  readonly pepper: Pepper;
  /** Started by whoever made it. */
  readonly feed: Pick<ChangeFeed, 'subscribe' | 'freshAt'>;
}

const knownMax = 50_000;
const unknownMax = 10_000;
/** A key in memory is looked up again after this, behind the answer. */
const refreshAfterMs = 30_000;
/** One that was not used for so long is looked up before the answer. */
const forgetAfterMs = 300_000;
const unknownForMs = 5000;
/**
 * Without news for so long, a revocation could have been missed: memory does not count until the feed is back. Money that
 * was set aside counts no longer either, so that a key which another process revokes can spend no more than that.
 */
const blindAfterMs = 15_000;
const markEveryMs = 60_000;

interface CachedKey {
  readonly holder: KeyHolder;
  /** Those that the store may have of it. */
  readonly digests: Digests;
  readonly expiresAt: number;
  readonly loadedAt: number;
  markedAt: number;
  isRefreshing: boolean;
}

type Digests = ReturnType<typeof keyDigests>;

export function keyRing(parts: KeyRingParts): KeyRing {
  return new CachedKeyRing(parts);
}

class CachedKeyRing implements KeyRing {
  readonly #parts: KeyRingParts;
  readonly #lookup: (digest: string) => Promise<StoredKey | undefined>;
  readonly #usage: KeyUsage;
  /** Under a hash of the secret, so that memory does not hold secrets. */
  readonly #known = recentlyUsed<string, CachedKey>(knownMax);
  readonly #unknownUntil = recentlyUsed<string, number>(unknownMax);
  /** Grows with every change heard of; what was read before the change must not be remembered after it. */
  #generation = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(parts: KeyRingParts) {
    this.#parts = parts;
    this.#lookup = keyLookup(parts);
    this.#usage = keyUsage(parts.store);
  }

  start(): void {
    this.#unsubscribe ??= this.#parts.feed.subscribe((changes) => this.#forget(changes));
    this.#usage.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    await this.#usage.stop();
  }

  holder(secret: string | undefined): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    if (secret === undefined || !wellFormed(secret)) return undefined;
    const name = hash('sha256', secret, 'base64');
    const known = this.#inMemory(name);
    if (known) return this.#usable(known);
    const isUnknown = !this.#isBlind() && (this.#unknownUntil.get(name) ?? 0) > this.#parts.clock.elapsed();
    return isUnknown ? undefined : this.#load(name, keyDigests(this.#parts.pepper, secret));
  }

  known(secret: string | undefined): KeyHolder | undefined {
    // Whether it is well-formed need not be asked: nothing else is in memory.
    if (secret === undefined) return undefined;
    const known = this.#inMemory(hash('sha256', secret, 'base64'));
    return known && this.#usable(known);
  }

  remembered(secret: string | undefined): KeyHolder | undefined {
    if (secret === undefined || !wellFormed(secret)) return undefined;
    const known = this.#known.get(hash('sha256', secret, 'base64'));
    return known && known.expiresAt > this.#parts.clock.now() ? known.holder : undefined;
  }

  #inMemory(name: string): CachedKey | undefined {
    const known = this.#known.get(name);
    if (!known || this.#isBlind()) return undefined;
    const ageMs = this.#parts.clock.elapsed() - known.loadedAt;
    if (ageMs >= forgetAfterMs) return undefined;
    if (ageMs > refreshAfterMs) this.#refresh(name, known);
    return known;
  }

  #isBlind(): boolean {
    return this.#parts.clock.elapsed() - this.#parts.feed.freshAt > blindAfterMs;
  }

  #usable(known: CachedKey): KeyHolder | undefined {
    const now = this.#parts.clock.now();
    if (known.expiresAt <= now) return undefined;
    if (now - known.markedAt >= markEveryMs) {
      known.markedAt = now;
      this.#usage.mark(known.holder.keyId, now);
    }
    return known.holder;
  }

  async #load(name: string, digests: Digests): Promise<KeyHolder | undefined> {
    const mayRemember = !this.#isBlind();
    const generation = this.#generation;
    const elapsed = this.#parts.clock.elapsed();
    // Older ones first: a key that another process renews meanwhile is found by the one or the other.
    const found = await Promise.all(digests.toReversed().map((digest) => this.#lookup(digest)));
    const stored = found.find((each) => each !== undefined);
    const isIt = stored && isOneOf(digests, stored.digest);
    const known = isIt ? knownFrom(stored, { digests, loadedAt: elapsed }) : undefined;
    if (isIt && known) this.#renew(stored, digests);
    if (mayRemember && generation === this.#generation) this.#remember(name, known, elapsed);
    return known && this.#usable(known);
  }

  /** A key that was made with another secret than today's is seen only now, and can be noted with today's. */
  #renew({ keyId, digest: before }: StoredKey, [digest]: Digests): void {
    if (before === digest) return;
    const { store, pepper } = this.#parts;
    // One that fails leaves the key as it was, and the next look tries again.
    void store.db
      .updateTable('api_keys')
      .set({ digest, digest_secret: secretId(pepper) })
      .where('id', '=', keyId)
      .where('digest', '=', before)
      .execute()
      .catch(() => undefined);
  }

  #refresh(name: string, known: CachedKey): void {
    if (known.isRefreshing) return;
    known.isRefreshing = true;
    this.#load(name, known.digests)
      // The store is out of reach for the moment; the feed decides how long memory may be trusted.
      .catch(() => undefined)
      .finally(() => {
        known.isRefreshing = false;
      });
  }

  #remember(name: string, known: CachedKey | undefined, elapsed: number): void {
    if (known) {
      known.markedAt = this.#known.get(name)?.markedAt ?? known.markedAt;
      this.#known.set(name, known);
    } else {
      this.#known.delete(name);
      this.#unknownUntil.set(name, elapsed + unknownForMs);
    }
  }

  #forget(changes: readonly StoreChange[]): void {
    const subjects = new Set(changes.filter(({ topic }) => topic !== 'catalog').map(({ subject }) => subject));
    if (subjects.size === 0) return;
    this.#generation += 1;
    this.#unknownUntil.clear();
    const isAffected = ({ holder }: CachedKey): boolean =>
      subjects.has('*') || subjects.has(holder.keyId) || subjects.has(holder.accountId);
    const names = [...this.#known.entries()].filter(([, known]) => isAffected(known)).map(([name]) => name);
    for (const name of names) this.#known.delete(name);
  }
}

function knownFrom(stored: StoredKey, how: Pick<CachedKey, 'digests' | 'loadedAt'>): CachedKey | undefined {
  if (stored.revokedAt !== null || stored.accountStatus !== 'active') return undefined;
  const { keyId, keyName, accountId, accountName, packageName } = stored;
  const models = stored.models === null ? undefined : (JSON.parse(stored.models) as string[]);
  const honoursStreamFalse = stored.honourStreamFalse === 1;
  const terms = { models, honoursStreamFalse, storesBodies: stored.storeBodies === 1, ...limitsOf(stored) };
  return {
    holder: Object.freeze({ keyId, keyName, accountId, accountName, packageName, ...terms }),
    ...how,
    expiresAt: stored.expiresAt ?? Number.POSITIVE_INFINITY,
    markedAt: 0,
    isRefreshing: false,
  };
}

function limitsOf(stored: StoredKey): Pick<KeyHolder, 'cap' | 'concurrency' | 'addresses'> {
  const { keyId, spendCap, maxConcurrency: max, addresses } = stored;
  const firstKeyId = stored.firstId ?? keyId;
  return {
    cap: spendCap === null ? undefined : { amount: BigInt(spendCap), renewal: renewalOf(stored), firstKeyId },
    concurrency: max === null ? undefined : { max, firstKeyId },
    addresses: addresses === null ? undefined : addressRanges(JSON.parse(addresses) as string[]),
  };
}

function renewalOf({ capPeriod, timeZone }: StoredKey): Renewal | undefined {
  const period = capPeriods.find((each) => each === capPeriod);
  return period && { period, timeZone: timeZone ?? defaultTimeZone };
}
