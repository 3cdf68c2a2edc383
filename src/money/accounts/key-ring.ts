import { hash } from 'node:crypto';
import type { StoreChange, ChangeFeed } from '../../platform/cluster/change-feed.ts';
import { addressRanges } from '../../core/address-ranges.ts';
import type { KeyHolder } from '../../core/caller.ts';
import { recentlyUsed } from '../../core/recently-used.ts';
import { ImportedDigests } from './imported-digests.ts';
import { canBeForeignKey } from '../../core/foreign-key.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { currentForm, type KeyCandidate, type SentKey, sentKey, sentDigest } from './key-candidates.ts';
import { type Pepper, sameDigest, secretId } from '../../platform/secrets/key-digest.ts';
import { spendLimitsOf } from './spend-limits.ts';
import { wellFormed } from './secret-format.ts';
import { keyLookup, type KeyLookupParts, type StoredKey } from './key-lookup.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '../../platform/store/store.ts';

export interface KeyRingParts extends KeyLookupParts {
  readonly pepper: Pepper;
  /** The ring subscribes to it but does not start it. */
  readonly feed: Pick<ChangeFeed, 'subscribe' | 'freshAt' | 'following'>;
}

const knownMax = 50_000;
const unknownMax = 10_000;
/** Above this age, a cached key is refreshed in the background. */
const refreshAfterMs = 30_000;
/** From this age on, a cached key is looked up before it is accepted. */
const forgetAfterMs = 300_000;
const unknownForMs = 5000;
/**
 * After this long without a feed poll, a revocation could have been missed: the cache is not used until the feed is
 * back. Leased money expires then too, so that a key revoked by another process can spend no more than that.
 */
const staleAfterMs = 15_000;
const markEveryMs = 60_000;

interface CachedKey {
  readonly holder: KeyHolder;
  readonly sent: SentKey;
  readonly expiresAt: number;
  readonly loadedAt: number;
  markedAt: number;
  isRefreshing: boolean;
}

/** Finds the holder of an API key. Keeps a cache of keys. */
export class KeyRing {
  readonly #parts: KeyRingParts;
  readonly #lookup: (digest: string) => Promise<StoredKey | undefined>;
  readonly #usage: KeyUsage;
  /** By a hash of the secret, so that secrets are not kept in memory. */
  readonly #known = recentlyUsed<string, CachedKey>(knownMax);
  readonly #imported: ImportedDigests;
  readonly #unknownUntil = recentlyUsed<string, number>(unknownMax);
  /** Grows with every change received. A lookup that began before a change must not be cached after it. */
  #generation = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(parts: KeyRingParts) {
    this.#parts = parts;
    this.#lookup = keyLookup(parts);
    this.#usage = keyUsage(parts.store);
    this.#imported = new ImportedDigests(parts.store);
  }

  start(): void {
    this.#unsubscribe ??= this.#parts.feed.subscribe((changes) => this.#forget(changes));
    // Digests that are read earlier can miss an import that the feed does not report either.
    void this.#parts.feed.following.then(() => this.#imported.load());
    this.#usage.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    await this.#usage.stop();
  }

  /**
   * The holder of a usable key. Returns synchronously, without a store query, for text that cannot be a key and for
   * cached keys. A promise means that the store is queried.
   */
  holder(secret: string | undefined): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    if (secret === undefined) return undefined;
    const isOwn = wellFormed(secret);
    if (!isOwn && (this.#imported.isEmpty || !canBeForeignKey(secret))) return undefined;
    const name = hash('sha256', secret, 'base64');
    const known = this.#freshKey(name);
    if (known) return this.#usable(known);
    const isUnknown = !this.#isStale() && (this.#unknownUntil.get(name) ?? 0) > this.#parts.clock.elapsed();
    if (isUnknown) return undefined;
    const sent = sentKey(this.#parts.pepper, secret);
    return isOwn || this.#isImported(sent) ? this.#load(name, sent) : undefined;
  }

  /** The same for cached keys only, without a store query. */
  known(secret: string | undefined): KeyHolder | undefined {
    // No format check is needed: only keys are cached.
    if (secret === undefined) return undefined;
    const known = this.#freshKey(hash('sha256', secret, 'base64'));
    return known && this.#usable(known);
  }

  /** The last known holder, even if the cache is stale. Grant nothing before `holder` confirms it. */
  remembered(secret: string | undefined): KeyHolder | undefined {
    if (secret === undefined) return undefined;
    const known = this.#known.get(hash('sha256', secret, 'base64'));
    return known && known.expiresAt > this.#parts.clock.now() ? known.holder : undefined;
  }

  /** Whether a key that was not created here can be in the store. */
  #isImported({ candidates }: SentKey): boolean {
    // A change before the first poll would be missed by digests that are read before it.
    if (this.#parts.feed.freshAt === Number.NEGATIVE_INFINITY) return true;
    return this.#imported.mayHold(candidates.map(({ digest }) => digest));
  }

  /** The holder of a usable key, by the id of the key: for work that the gateway does for a key. */
  async holderWithId(keyId: string): Promise<KeyHolder | undefined> {
    const name = `id ${keyId}`;
    const known = this.#freshKey(name);
    if (known) return this.#usable(known);
    const { db } = this.#parts.store;
    const row = await db.selectFrom('api_keys').select('digest').where('id', '=', keyId).executeTakeFirst();
    return row && this.#load(name, sentDigest(row.digest));
  }

  /** The last known holder of the key with this id. Grant nothing before `holderWithId` confirms it. */
  rememberedWithId(keyId: string): KeyHolder | undefined {
    const known = this.#known.get(`id ${keyId}`);
    return known && known.expiresAt > this.#parts.clock.now() ? known.holder : undefined;
  }

  #freshKey(name: string): CachedKey | undefined {
    const known = this.#known.get(name);
    if (!known || this.#isStale()) return undefined;
    const ageMs = this.#parts.clock.elapsed() - known.loadedAt;
    if (ageMs >= forgetAfterMs) return undefined;
    if (ageMs > refreshAfterMs) this.#refresh(name, known);
    return known;
  }

  #isStale(): boolean {
    return this.#parts.clock.elapsed() - this.#parts.feed.freshAt > staleAfterMs;
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

  async #load(name: string, sent: SentKey): Promise<KeyHolder | undefined> {
    const canCache = !this.#isStale();
    const generation = this.#generation;
    const elapsed = this.#parts.clock.elapsed();
    const results = await Promise.all(sent.candidates.map(({ digest }) => this.#lookup(digest)));
    const stored = results.findLast((each, at) => each && isMatch(each, sent.candidates[at]));
    const known = stored && knownFrom(stored, { sent, loadedAt: elapsed });
    if (known) this.#renewDigest(stored, sent);
    if (canCache && generation === this.#generation) this.#cache(name, known, elapsed);
    return known && this.#usable(known);
  }

  /** Replaces a digest of an import or of another pepper, now that the secret is known. */
  #renewDigest({ keyId, digest: before, scheme }: StoredKey, sent: SentKey): void {
    const form = currentForm(sent, scheme);
    if (before === form.digest) return;
    const { store, pepper } = this.#parts;
    // If the update fails, the key stays as it is, and the next lookup tries again.
    void store.db
      .updateTable('api_keys')
      .set({ ...form, digest_secret: secretId(pepper) })
      .where('id', '=', keyId)
      .where('digest', '=', before)
      .execute()
      .catch(() => undefined);
  }

  #refresh(name: string, known: CachedKey): void {
    if (known.isRefreshing) return;
    known.isRefreshing = true;
    this.#load(name, known.sent)
      // The store is unreachable. The feed decides how long the cache may be used.
      .catch(() => undefined)
      .finally(() => {
        known.isRefreshing = false;
      });
  }

  #cache(name: string, known: CachedKey | undefined, elapsed: number): void {
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
    this.#imported.changed(changes.flatMap(({ topic, subject }) => (topic === 'key' ? [subject] : [])));
    const isAffected = ({ holder }: CachedKey): boolean =>
      subjects.has('*') || subjectsOf(holder).some((id) => subjects.has(id));
    const names = [...this.#known.entries()].filter(([, known]) => isAffected(known)).map(([name]) => name);
    for (const name of names) this.#known.delete(name);
  }
}

/** Compares in constant time. A digest of another scheme is no match: the digest of an import is no key. */
function isMatch({ digest, scheme }: StoredKey, candidate: KeyCandidate | undefined): boolean {
  return candidate !== undefined && candidate.schemes.includes(scheme) && sameDigest(candidate.digest, digest);
}

function knownFrom(stored: StoredKey, lookup: Pick<CachedKey, 'sent' | 'loadedAt'>): CachedKey | undefined {
  if (stored.revokedAt !== null || stored.accountStatus !== 'active') return undefined;
  const { keyId, keyName, accountId, accountName, packageName } = stored;
  const models = stored.models === null ? undefined : (ownJson(stored.models) as string[]);
  const honoursStreamFalse = stored.honourStreamFalse === 1;
  const reportsCost = stored.reportCost === 1;
  const storesBodies = stored.storeBodies === 1;
  const terms = { models, ...teamOf(stored), honoursStreamFalse, reportsCost, storesBodies, ...limitsOf(stored) };
  return {
    holder: Object.freeze({ keyId, keyName, accountId, accountName, packageName, ...terms }),
    ...lookup,
    expiresAt: stored.expiresAt ?? Number.POSITIVE_INFINITY,
    markedAt: 0,
    isRefreshing: false,
  };
}

/** The terms that a key has from the organisation of its account and from its member. */
function teamOf(stored: StoredKey): Pick<KeyHolder, 'narrowedTo' | 'organisationId' | 'member'> {
  const { organisationId, memberId, memberMaxConcurrency } = stored;
  const lists = [stored.organisationModels, stored.memberModels].filter((list) => list !== null);
  return {
    ...(lists.length > 0 && { narrowedTo: lists.map((list) => ownJson(list) as string[]) }),
    ...(organisationId !== null && { organisationId }),
    ...(memberId !== null && { member: { id: memberId, maxConcurrency: memberMaxConcurrency ?? undefined } }),
  };
}

/** The ids whose changes may change a key. */
function subjectsOf({ keyId, accountId, organisationId }: KeyHolder): readonly string[] {
  return organisationId === undefined ? [keyId, accountId] : [keyId, accountId, organisationId];
}

function limitsOf(stored: StoredKey): Pick<KeyHolder, 'limits' | 'concurrency' | 'addresses'> {
  const { firstId: firstKeyId, maxConcurrency: max, addresses } = stored;
  return {
    limits: spendLimitsOf(stored),
    concurrency: max === null ? undefined : { max, firstKeyId },
    addresses: addresses === null ? undefined : addressRanges(ownJson(addresses) as string[]),
  };
}

type KeyUsage = ReturnType<typeof keyUsage>;

const batchMax = 100;
/** Further keys within one flush interval are not marked. The next use of the key marks it again. */
const marksMax = 50_000;

/** Writes the last use of keys in the background, in short transactions that let other work run in between. */
export function keyUsage(store: Store, { flushMs = 10_000 } = {}) {
  let marks = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  /** Never runs twice at the same time, however long the store takes. */
  function flush(): Promise<void> {
    flushing ??= writeAll().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  async function writeAll(): Promise<void> {
    // In the same order in every process, to prevent deadlocks.
    const batch = [...marks].toSorted(([one], [other]) => (one < other ? -1 : 1));
    marks = new Map();
    for (let start = 0; start < batch.length; start += batchMax) {
      await write(store, batch.slice(start, start + batchMax));
      await nextTurn();
    }
  }

  /** The last use is only shown to people, so a failed write is dropped. The next use is written again. */
  function tryToFlush(): Promise<void> {
    return flush().catch(() => undefined);
  }

  return {
    mark(keyId: string, at: number): void {
      if (marks.size < marksMax || marks.has(keyId)) marks.set(keyId, at);
    },
    start(): void {
      timer ??= setInterval(() => void tryToFlush(), flushMs).unref();
    },
    /** Writes the remaining marks, if the store is reachable. Never rejects. */
    async stop(): Promise<void> {
      clearInterval(timer);
      timer = undefined;
      await tryToFlush();
      await tryToFlush();
    },
  };
}

function write(store: Store, marks: readonly (readonly [keyId: string, at: number])[]): Promise<void> {
  return store.transaction(async (tx) => {
    for (const [keyId, at] of marks) {
      await tx.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', keyId).execute();
    }
  });
}
