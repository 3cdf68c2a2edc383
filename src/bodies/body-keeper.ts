import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { KeyHolder } from '../core/caller.ts';
import type { Clock, Timer } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { BodyCopy } from './body-copy.ts';
import { BodyRoom } from './body-room.ts';
import { encodeBodies } from './body-text.ts';
import { bodyVault, ownerOf } from './body-vault.ts';
import { bodiesDropped, bodiesKept, bodyRows } from './stored-bodies.ts';
import { type BodyRow, storingBodies } from './storing-job.ts';

/** What the configuration allows; a reload may change it. */
export interface BodySettings {
  /** Of each body. */
  readonly maxBytes: number;
  readonly accountBytesMax: number;
  readonly memoryBytesMax: number;
  readonly secret?: string | undefined;
}

interface KeeperParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Parameters<typeof bodyVault>[0];
  /** Nothing where no bodies are stored at all. */
  readonly settings: () => BodySettings | undefined;
  /** Hears of requests whose bodies were given up. */
  readonly dropped: (requests: number) => void;
  readonly onError: (error: unknown) => void;
  /** Hears of a request whose bodies alone the store does not take. */
  readonly onRefused: (requestId: string, error: unknown) => void;
}

/** Whose bodies they are. */
export interface BodyOwner {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
}

/** One commit takes no more than this, so that the charges of others do not wait long for it. */
const batchMax = 50;
const batchBytesMax = 2 * 1024 * 1024;
const retryMs = 1000;
/** So often the same bodies are tried while the store takes others. */
const triesMax = 5;

/**
 * Stores the bodies of requests whose keys want it, sealed, behind the requests' backs and in commits of their own: a
 * charge, which the end of an answer waits for, never carries them along.
 */
export class BodyKeeper {
  readonly #parts: KeeperParts;
  readonly #room: BodyRoom;
  readonly #queue: BodyRow[] = [];
  #vault: { readonly secret: string | undefined; readonly vault: SecretVault } | undefined;
  #writing: Promise<void> | undefined;
  #retry: Timer | undefined;
  /** How often the first of the queue were refused. */
  #tries = 0;
  /** So many of the queue are tried one by one: one of them is not taken. */
  #alone = 0;
  #isStopped = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#room = new BodyRoom(() => parts.settings()?.memoryBytesMax ?? 0);
  }

  /** A copy to be made of a request's bodies; nothing where its key does not ask for it or nobody allows it. */
  copyFor({ storesBodies }: Pick<KeyHolder, 'storesBodies'>): BodyCopy | undefined {
    const settings = storesBodies ? this.#parts.settings() : undefined;
    return settings && new BodyCopy(this.#room, settings.maxBytes);
  }

  /**
   * Has the copy stored, and says what the request's record is to note of it; nothing where there is nothing to store. Where
   * there is no room, the bodies are dropped and counted.
   */
  keep(owner: BodyOwner, copy: BodyCopy): string | undefined {
    const copied = copy.take();
    const settings = this.#parts.settings();
    if (!settings || (copied && !copied.request && !copied.answer)) return undefined;
    const row = copied && {
      requestId: owner.id,
      accountId: owner.accountId,
      keyId: owner.keyId,
      storedAt: this.#parts.clock.now(),
      requestBytes: copied.request?.length ?? 0,
      answerBytes: copied.answer?.length ?? 0,
      sealed: this.#vaultOf(settings).seal(ownerOf(owner), encodeBodies(copied)),
    };
    if (!row || this.#isStopped || !this.#room.take(row.sealed.length)) {
      this.#parts.dropped(1);
      return bodiesDropped;
    }
    this.#queue.push(row);
    this.#writeBehind();
    return bodiesKept;
  }

  /** Resolves when everything kept before is in the store; rejects when the store does not take it. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  /** Writes what is left, then takes no more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#parts.clock.cancel(this.#retry);
    await this.flush().catch((error: unknown) => {
      this.#parts.onError(error);
      this.#parts.dropped(this.#queue.length);
      this.#forget(this.#queue.length);
    });
  }

  #writeBehind(): void {
    if (this.#retry !== undefined) return;
    this.flush().catch((error: unknown) => {
      this.#parts.onError(error);
      if (this.#isStopped || this.#retry !== undefined) return;
      this.#retry = this.#parts.clock.after(retryMs, () => {
        this.#retry = undefined;
        this.#writeBehind();
      });
      this.#retry.unref();
    });
  }

  async #write(): Promise<void> {
    // What ends in the same breath goes along.
    await nextTurn();
    if (!this.#parts.settings()) return this.#forget(this.#queue.length);
    const batch = this.#batch();
    const { store } = this.#parts;
    const bytes = await store.commit(storingBodies, batch).catch((error: unknown) => this.#refused(batch, error));
    if (!bytes) return;
    this.#forget(batch.length);
    await this.#makeRoom(bytes);
  }

  /**
   * What a store that is away does not take waits. Bodies that it does not take while it answers are found out one by one and
   * dropped: they would keep all others from it for ever. At the end there is no time for more than one try.
   */
  async #refused(batch: readonly BodyRow[], error: unknown): Promise<undefined> {
    this.#tries += 1;
    if (this.#tries < triesMax && !this.#isStopped) throw error;
    await this.#parts.store.commit(storingBodies, []);
    this.#tries = 0;
    const [first, ...others] = batch;
    if (others.length > 0) this.#alone = batch.length;
    else if (first) {
      this.#parts.onRefused(first.requestId, error);
      this.#parts.dropped(1);
      this.#forget(1);
    }
  }

  #batch(): readonly BodyRow[] {
    if (this.#alone > 0) return this.#queue.slice(0, 1);
    let bytes = 0;
    const over = this.#queue.findIndex(({ sealed }, at) => {
      bytes += sealed.length;
      return at > 0 && (at >= batchMax || bytes > batchBytesMax);
    });
    return this.#queue.slice(0, over < 0 ? this.#queue.length : over);
  }

  #forget(count: number): void {
    this.#tries = 0;
    this.#alone = Math.max(0, this.#alone - count);
    for (const { sealed } of this.#queue.splice(0, count)) this.#room.leave(sealed.length);
  }

  /** What was stored is stored, also where the oldest cannot be deleted now: the next commit tries again. */
  async #makeRoom(bytes: ReadonlyMap<string, number>): Promise<void> {
    const bytesMax = this.#parts.settings()?.accountBytesMax ?? 0;
    for (const [accountId, has] of bytes) {
      if (has <= bytesMax) continue;
      await bodyRows.deleteOldest(this.#parts.store, { accountId, bytesMax }).catch(this.#parts.onError);
    }
  }

  #vaultOf({ secret }: BodySettings): SecretVault {
    if (!this.#vault || this.#vault.secret !== secret) {
      this.#vault = { secret, vault: bodyVault(this.#parts.pepper, { secret }) };
    }
    return this.#vault.vault;
  }
}
