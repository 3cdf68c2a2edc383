import type { Clock } from '../../../core/time/clock.ts';
import type { Nano } from '../../../core/money.ts';
import { within } from '../../../core/time/within.ts';
import { engineOf } from '../../../platform/store/engine.ts';
import { runWithin } from '../../../platform/store/run-tasks.ts';
import type { Store } from '../../../platform/store/store.ts';
import { heartbeat, processTtlMs, reap, registerProcess, type JournalReplay, unregisterProcess } from './processes.ts';
import type { DeadLetterCheckpoints } from './dead-letter-checkpoints.ts';
import { chargedSoFar } from '../settle.ts';
import { reclaimCheckpoints } from './reclaim-checkpoints.ts';

export const heartbeatEveryMs = 5000;
const lateMs = 3000;
const settleTimeoutMs = 4000;
/** Checkpoints of older ids were moved to the next id, or are charged by now. */
const unconfirmedIdsMax = 8;
/**
 * After missed heartbeats of its own, or after its start, a process reaps no peer for this long: two heartbeats are due
 * from each peer in that time.
 */
const reapGraceMs = 2 * heartbeatEveryMs;

export interface MembershipParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The ids of the requests with an open hold. */
  readonly running: () => readonly string[];
  /** Books the journals of expired processes on this machine, before their leases are returned. */
  readonly replay?: JournalReplay | undefined;
  /** Keeps checkpoints of expired processes that cannot be charged. */
  readonly refused: DeadLetterCheckpoints;
  /** Books the pending charges. The money of their old leases is available until another process leases it. */
  readonly settle?: (() => Promise<void>) | undefined;
  /**
   * Called when this process had expired and has registered under a new id: all its leases are gone. Receives the
   * amounts that recovery charged for running requests.
   */
  readonly onNewId: (charged: ReadonlyMap<string, Nano>) => void;
}

/**
 * The registration of this process in the store. It needs heartbeats: if they stop, peers reap the process and return
 * its leases.
 */
export class Membership {
  readonly #parts: MembershipParts;
  #processId: string;
  /** Ids that may have been registered although the reply was lost. */
  #unconfirmedIds: readonly string[] = [];
  #heartbeatMs = Number.NEGATIVE_INFINITY;
  #reapsFromMs = Number.NEGATIVE_INFINITY;
  /** The last heartbeat, in monotonic time of this process and in database time. */
  #lastHeartbeat: { readonly ms: number; readonly at: number } | undefined;
  #heartbeat: Promise<void> | undefined;
  #reaping: Promise<void> | undefined;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
    this.#processId = parts.newId();
  }

  get processId(): string {
    return this.#processId;
  }

  /** Whether the last heartbeat reached the store in time. */
  get isOnTime(): boolean {
    return this.#silenceMs < heartbeatEveryMs + lateMs;
  }

  /**
   * Whether the leases of this process still count. After half the TTL without a heartbeat they do not, because peers
   * may soon reap it.
   */
  get canUseLeases(): boolean {
    return this.#silenceMs < processTtlMs / 2;
  }

  /** Whether the process cannot have been reaped yet. */
  get isSurelyAlive(): boolean {
    return this.#silenceMs < processTtlMs;
  }

  get #silenceMs(): number {
    return this.#parts.clock.elapsed() - this.#heartbeatMs;
  }

  async start(): Promise<void> {
    const { store, clock } = this.#parts;
    const sentMs = clock.elapsed();
    await registerProcess(store, this.#processId);
    this.#heartbeatMs = sentMs;
    // The database may have been unreachable until now, and all peers silent. The embedded store is reachable for all
    // processes or for none.
    if (engineOf(store.db) === 'postgres') this.#reapsFromMs = clock.elapsed() + reapGraceMs;
  }

  /** Sends a heartbeat. Concurrent calls share one. */
  sendHeartbeat(): Promise<void> {
    this.#heartbeat ??= this.#sendHeartbeat().finally(() => (this.#heartbeat = undefined));
    return this.#heartbeat;
  }

  /**
   * Reaps peers whose heartbeats stopped. This runs apart from our own heartbeats: an obstacle, such as a disk that
   * hangs with the journals of expired processes, must not make this process expire too.
   */
  reapPeers(): Promise<void> {
    this.#reaping ??= this.#reapPeers().finally(() => (this.#reaping = undefined));
    return this.#reaping;
  }

  async stop(): Promise<void> {
    await this.#heartbeat?.catch(() => undefined);
    const { store, clock, refused } = this.#parts;
    await unregisterProcess(store, this.#processId, clock, { refused });
    await this.#reapPeers();
    await this.#reaping?.catch(() => undefined);
  }

  async #sendHeartbeat(): Promise<void> {
    const { store, clock } = this.#parts;
    const sentMs = clock.elapsed();
    const wasSilent = !this.isOnTime;
    const at = await heartbeat(store, this.#processId);
    const hasJumped = at !== undefined && this.#hasJumped(sentMs, at);
    if (at === undefined) {
      await this.#settled();
      await this.#registerAgain();
    }
    this.#heartbeatMs = sentMs;
    // If the store was unreachable, all peers missed heartbeats too, and are about to send them again.
    if (wasSilent || hasJumped) this.#reapsFromMs = clock.elapsed() + reapGraceMs;
  }

  /** The store responded a moment ago. If it accepts no charge now, running requests stop waiting for it after 4 s. */
  async #settled(): Promise<void> {
    const { clock, settle } = this.#parts;
    if (settle) await within(settle(), { clock, timeoutMs: settleTimeoutMs }).catch(() => undefined);
  }

  /**
   * Whether the database clock jumped forward, or ours stopped while the machine was suspended. Peers expire by the
   * database clock, so they may have had no time for a heartbeat.
   */
  #hasJumped(sentMs: number, at: number): boolean {
    const before = this.#lastHeartbeat;
    this.#lastHeartbeat = { ms: sentMs, at };
    return before !== undefined && at - before.at > this.#parts.clock.elapsed() - before.ms + lateMs;
  }

  async #reapPeers(): Promise<void> {
    const { store, clock, replay, refused } = this.#parts;
    if (this.#canReap) await reap(store, clock, { replay, refused });
  }

  /** A process that missed its own heartbeats must not reap others. */
  get #canReap(): boolean {
    return this.isOnTime && this.#parts.clock.elapsed() >= this.#reapsFromMs;
  }

  /**
   * Registers this process under a new id. An id whose registration reply was lost expires by itself; its checkpoints
   * move to the next id.
   */
  async #registerAgain(): Promise<void> {
    const { store, newId, running, onNewId } = this.#parts;
    const id = newId();
    const before = [this.#processId, ...this.#unconfirmedIds];
    this.#unconfirmedIds = [...this.#unconfirmedIds, id].slice(-unconfirmedIdsMax);
    const charged = await store.transaction(async (tx) => {
      await registerProcess({ db: tx }, id);
      await reclaimCheckpoints(tx, before, id);
      return runWithin(tx, chargedSoFar, running());
    });
    this.#unconfirmedIds = [];
    this.#processId = id;
    onNewId(charged);
  }
}
