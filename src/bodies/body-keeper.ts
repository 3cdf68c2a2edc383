import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { KeyHolder } from '../core/caller.ts';
import type { Clock, Timer } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { BodyCopy } from './body-copy.ts';
import { BodyBudget } from './body-budget.ts';
import { encodeBodies } from './body-text.ts';
import { bodiesDropped, bodiesKept, bodyVault, storedBodies } from './stored-bodies.ts';
import { type SealedBodies, storingBodies } from './storing-job.ts';

/** Limits from the configuration; a reload may change them. */
export interface BodySettings {
  /** Limit of each body. */
  readonly maxBytes: number;
  readonly accountBytesMax: number;
  readonly memoryBytesMax: number;
  readonly secret?: string | undefined;
}

interface KeeperParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Parameters<typeof bodyVault>[0];
  /** `undefined` if no bodies are stored at all. */
  readonly settings: () => BodySettings | undefined;
  /** Called with the number of requests whose bodies were dropped. */
  readonly dropped: (requests: number) => void;
  readonly onError: (error: unknown) => void;
  /** Called for a request whose bodies the store rejects although it accepts others. */
  readonly onRefused: (requestId: string, error: unknown) => void;
}

/** The request that the bodies belong to. */
export interface BodyOwner {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
}

/** Limits of one commit, so that the charges of other requests do not wait long for it. */
const batchMax = 50;
const batchBytesMax = 2 * 1024 * 1024;
const retryMs = 1000;
/** Attempts to write the same batch before its rows are written one by one. */
const attemptsMax = 5;

/**
 * Stores the bodies of requests whose keys opt in, encrypted and asynchronously. They get commits of their own: the end
 * of an answer waits for its charge, so bodies are never piggybacked on one.
 */
export class BodyKeeper {
  readonly #parts: KeeperParts;
  readonly #budget: BodyBudget;
  readonly #queue: SealedBodies[] = [];
  #vault: { readonly secret: string | undefined; readonly vault: SecretVault } | undefined;
  #writing: Promise<void> | undefined;
  #retry: Timer | undefined;
  /** Failed attempts to write the batch at the head of the queue. */
  #attempts = 0;
  /** Number of rows at the head of the queue that are written one by one, because the store rejects one of them. */
  #oneByOne = 0;
  #isStopped = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#budget = new BodyBudget(() => parts.settings()?.memoryBytesMax ?? 0);
  }

  /**
   * A copy for the bodies of a request; `undefined` if its key does not opt in or the configuration does not allow it.
   */
  copyFor({ storesBodies }: Pick<KeyHolder, 'storesBodies'>): BodyCopy | undefined {
    const settings = storesBodies ? this.#parts.settings() : undefined;
    return settings && new BodyCopy(this.#budget, settings.maxBytes);
  }

  /**
   * Queues the copy and returns a note for the request's record; `undefined` if there is nothing to store. If the
   * memory budget is exceeded, the bodies are dropped and counted.
   */
  keep(owner: BodyOwner, copy: BodyCopy): string | undefined {
    const copied = copy.take();
    const settings = this.#parts.settings();
    if (!settings || (copied && !copied.request && !copied.answer)) return undefined;
    const row = copied && {
      id: owner.id,
      accountId: owner.accountId,
      keyId: owner.keyId,
      createdAt: this.#parts.clock.now(),
      requestBytes: copied.request?.length ?? 0,
      answerBytes: copied.answer?.length ?? 0,
      sealed: storedBodies.seal(this.#vaultOf(settings), owner, encodeBodies(copied)),
    };
    if (!row || this.#isStopped || !this.#budget.reserve(row.sealed.length)) {
      this.#parts.dropped(1);
      return bodiesDropped;
    }
    this.#queue.push(row);
    this.#writeInBackground();
    return bodiesKept;
  }

  /** Resolves when all bodies queued before are in the store; rejects when the store does not accept them. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  /** Writes the remaining bodies, then accepts no more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#parts.clock.cancel(this.#retry);
    await this.flush().catch((error: unknown) => {
      this.#parts.onError(error);
      this.#parts.dropped(this.#queue.length);
      this.#removeFirst(this.#queue.length);
    });
  }

  #writeInBackground(): void {
    if (this.#retry !== undefined) return;
    this.flush().catch((error: unknown) => {
      this.#parts.onError(error);
      if (this.#isStopped || this.#retry !== undefined) return;
      this.#retry = this.#parts.clock.after(retryMs, () => {
        this.#retry = undefined;
        this.#writeInBackground();
      });
      this.#retry.unref();
    });
  }

  async #write(): Promise<void> {
    // Requests that end in the same tick join the batch.
    await nextTurn();
    if (!this.#parts.settings()) return this.#removeFirst(this.#queue.length);
    const batch = this.#batch();
    const { store } = this.#parts;
    const bytes = await store
      .commit(storingBodies, batch)
      .catch((error: unknown) => this.#handleRejection(batch, error));
    if (!bytes) return;
    this.#removeFirst(batch.length);
    const bytesMax = this.#parts.settings()?.accountBytesMax ?? 0;
    await storedBodies.enforceQuota(store, bytes, { bytesMax, onError: this.#parts.onError });
  }

  /**
   * While the store is unreachable, bodies wait. If a reachable store rejects a batch, its rows are written one by one,
   * and rejected rows are dropped, because they would block all others for ever. While stopping, there is time for one
   * attempt only.
   */
  async #handleRejection(batch: readonly SealedBodies[], error: unknown): Promise<undefined> {
    this.#attempts += 1;
    if (this.#attempts < attemptsMax && !this.#isStopped) throw error;
    await this.#parts.store.commit(storingBodies, []);
    this.#attempts = 0;
    const [first, ...others] = batch;
    if (others.length > 0) this.#oneByOne = batch.length;
    else if (first) {
      this.#parts.onRefused(first.id, error);
      this.#parts.dropped(1);
      this.#removeFirst(1);
    }
  }

  #batch(): readonly SealedBodies[] {
    if (this.#oneByOne > 0) return this.#queue.slice(0, 1);
    let bytes = 0;
    const over = this.#queue.findIndex(({ sealed }, at) => {
      bytes += sealed.length;
      return at > 0 && (at >= batchMax || bytes > batchBytesMax);
    });
    return this.#queue.slice(0, over < 0 ? this.#queue.length : over);
  }

  #removeFirst(count: number): void {
    this.#attempts = 0;
    this.#oneByOne = Math.max(0, this.#oneByOne - count);
    for (const { sealed } of this.#queue.splice(0, count)) this.#budget.release(sealed.length);
  }

  #vaultOf({ secret }: BodySettings): SecretVault {
    if (!this.#vault || this.#vault.secret !== secret) {
      this.#vault = { secret, vault: bodyVault(this.#parts.pepper, { secret }) };
    }
    return this.#vault.vault;
  }
}
