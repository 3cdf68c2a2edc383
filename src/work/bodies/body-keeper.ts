import type { BytesStored } from '../../platform/blobs/store-blobs.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import type { KeyHolder } from '../../core/caller.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GroupCommitQueue } from '../../platform/store/group-commit-queue.ts';
import type { Store } from '../../platform/store/store.ts';
import { BodyBudget, BodyCopy } from './body-copy.ts';
import { encodeBodies } from './body-text.ts';
import { bodiesDropped, bodiesKept, bodyVault, storedBodies } from './stored-bodies.ts';
import { type SealedBodies, storingBodies } from './storing-job.ts';

/** Limits from the configuration; a reload may change them. */
export interface BodySettings {
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
  readonly dropped: (requests: number) => void;
  readonly onError: (error: unknown) => void;
  /** Called for a request whose bodies the store rejects although it accepts others. */
  readonly onRefused: (requestId: string, error: unknown) => void;
}

interface BodyOwner {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
}

/** Limits of one commit, so that the charges of other requests do not wait long for it. */
const limits = { batchMax: 50, batchBytesMax: 2 * 1024 * 1024, bytesOf: ({ sealed }: SealedBodies) => sealed.length };
const retry = { attemptsMax: 5, pauseMs: 1000 };

/** Stores bodies in commits of their own: the end of an answer waits for its charge, so none is piggybacked on one. */
export class BodyKeeper {
  readonly #parts: KeeperParts;
  readonly #budget: BodyBudget;
  readonly #queue: GroupCommitQueue<SealedBodies, BytesStored>;
  #vault: { readonly secret: string | undefined; readonly vault: SecretVault } | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#budget = new BodyBudget(() => parts.settings()?.memoryBytesMax ?? 0);
    this.#queue = new GroupCommitQueue<SealedBodies, BytesStored>({
      clock: parts.clock,
      // If a reload forbids stored bodies, those in the queue are discarded.
      commit: async (batch) => (parts.settings() ? parts.store.commit(storingBodies, batch) : new Map()),
      onCommitted: (batch, bytes) => {
        this.#release(batch);
        const bytesMax = parts.settings()?.accountBytesMax ?? 0;
        return storedBodies.enforceQuota(parts.store, bytes, { bytesMax, onError: parts.onError });
      },
      onRejected: (row, error) => {
        this.#release([row]);
        parts.onRefused(row.id, error);
        parts.dropped(1);
      },
      onError: parts.onError,
      limits,
      retry,
      delayMs: 0,
    });
  }

  /** `undefined` if the key does not opt in or the configuration does not allow it. */
  copyFor({ storesBodies }: Pick<KeyHolder, 'storesBodies'>): BodyCopy | undefined {
    const settings = storesBodies ? this.#parts.settings() : undefined;
    return settings && new BodyCopy(this.#budget, settings.maxBytes);
  }

  /** Returns a note for the request's record; `undefined` if there is nothing to store. */
  keep(owner: BodyOwner, copy: BodyCopy): string | undefined {
    const copied = copy.take();
    const settings = this.#parts.settings();
    if (!settings || (copied && !copied.request && !copied.answer)) return undefined;
    const row = copied && {
      ...owner,
      createdAt: this.#parts.clock.now(),
      requestBytes: copied.request?.length ?? 0,
      answerBytes: copied.answer?.length ?? 0,
      sealed: storedBodies.seal(this.#vaultOf(settings), owner, encodeBodies(copied)),
    };
    if (!row || !this.#budget.reserve(row.sealed.length)) return this.#drop();
    if (this.#queue.push(row)) return bodiesKept;
    this.#release([row]);
    return this.#drop();
  }

  /** Resolves when all bodies queued before are in the store; rejects when the store does not accept them. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  /** Writes the remaining bodies, then accepts no more. */
  async stop(): Promise<void> {
    const left = await this.#queue.stop();
    this.#release(left);
    if (left.length > 0) this.#parts.dropped(left.length);
  }

  #drop(): string {
    this.#parts.dropped(1);
    return bodiesDropped;
  }

  #release(rows: readonly SealedBodies[]): void {
    for (const { sealed } of rows) this.#budget.release(sealed.length);
  }

  #vaultOf({ secret }: BodySettings): SecretVault {
    if (!this.#vault || this.#vault.secret !== secret) {
      this.#vault = { secret, vault: bodyVault(this.#parts.pepper, { secret }) };
    }
    return this.#vault.vault;
  }
}
