import type { Clock } from '../core/clock.ts';
import type { Nano } from '../core/money.ts';
import { within } from '../core/within.ts';
import { engineOf } from '../store/engine.ts';
import { runWithin } from '../store/run-tasks.ts';
import type { Store } from '../store/store.ts';
import { heartbeat, processTtlMs, reap, registerProcess, type JournalReplay, unregisterProcess } from './processes.ts';
import type { RefusedCheckpoints } from './refused-checkpoints.ts';
import { chargedSoFar } from './settle.ts';
import { takeBackCheckpoints } from './take-back.ts';

/** How often a heartbeat is due. */
export const heartbeatEveryMs = 5000;
const lateMs = 3000;
const settleTimeoutMs = 4000;
/** What an older one of them was given was given to the next, or is charged by now. */
const unheardOfMax = 8;
/** After a silence of its own, or before it is known, a process takes nobody for dead for so long: two heartbeats are due from each meanwhile. */
const returnMs = 2 * heartbeatEveryMs;

export interface MembershipParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The requests that money is held for just now. */
  readonly running: () => readonly string[];
  /** Books what the dead of this machine have promised, before their money goes back. */
  readonly replay?: JournalReplay | undefined;
  /** Keeps what the dead have noted and cannot be charged. */
  readonly refused: RefusedCheckpoints;
  /** Has the charges that are on their way made: what they were to be paid from is available until somebody sets it aside. */
  readonly settle?: (() => Promise<void>) | undefined;
  /**
   * This process was taken for dead, and goes on under another name: nothing it had set aside is its own any more. Says
   * what recovery has charged for running requests.
   */
  readonly reborn: (charged: ReadonlyMap<string, Nano>) => void;
}

/** This process as the others see it: it must be heard of, or they take it for dead and give back what it has set aside. */
export class Membership {
  readonly #parts: MembershipParts;
  #processId: string;
  /** Names that may have been registered without our hearing of it since. */
  #unheardOf: readonly string[] = [];
  #heardOfMs = Number.NEGATIVE_INFINITY;
  #judgesFromMs = Number.NEGATIVE_INFINITY;
  /** When the last heartbeat was given, by our own clock and by the database's. */
  #beaten: { readonly ms: number; readonly at: number } | undefined;
  #staying: Promise<void> | undefined;
  #cleaning: Promise<void> | undefined;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
    this.#processId = parts.newId();
  }

  get processId(): string {
    return this.#processId;
  }

  /** Whether no heartbeat has failed to reach the store. */
  get isHeardOfLately(): boolean {
    return this.#silenceMs < heartbeatEveryMs + lateMs;
  }

  /** Without a heartbeat in half its time, others may soon take this process for dead: its leases no longer count. */
  get isHeardOf(): boolean {
    return this.#silenceMs < processTtlMs / 2;
  }

  /** Whether nobody can have taken it for dead yet. */
  get isSurelyAlive(): boolean {
    return this.#silenceMs < processTtlMs;
  }

  get #silenceMs(): number {
    return this.#parts.clock.elapsed() - this.#heardOfMs;
  }

  async start(): Promise<void> {
    const { store, clock } = this.#parts;
    const askedMs = clock.elapsed();
    await registerProcess(store, this.#processId);
    this.#heardOfMs = askedMs;
    // A database may have been away until now, and all the others silent; the embedded store is there for all or for nobody.
    if (engineOf(store.db) === 'postgres') this.#judgesFromMs = clock.elapsed() + returnMs;
  }

  /** Gives a heartbeat. Whoever asks while one is on its way shares it. */
  stay(): Promise<void> {
    this.#staying ??= this.#stay().finally(() => (this.#staying = undefined));
    return this.#staying;
  }

  /**
   * Looks who else gave none, and cleans up after them. Apart from our own heartbeats: what stands in the way of it, such
   * as a disk that hangs with the journals of the dead, must not make this process one of them.
   */
  cleanUp(): Promise<void> {
    this.#cleaning ??= this.#cleanUp().finally(() => (this.#cleaning = undefined));
    return this.#cleaning;
  }

  async stop(): Promise<void> {
    await this.#staying?.catch(() => undefined);
    const { store, clock, replay, refused } = this.#parts;
    await unregisterProcess(store, this.#processId, clock, { refused });
    if (this.#mayJudge) await reap(store, clock, { replay, refused });
    await this.#cleaning?.catch(() => undefined);
  }

  async #stay(): Promise<void> {
    const { store, clock } = this.#parts;
    const askedMs = clock.elapsed();
    const wasSilent = !this.isHeardOfLately;
    const at = await heartbeat(store, this.#processId);
    const hasJumped = at !== undefined && this.#hasJumped(askedMs, at);
    if (at === undefined) {
      await this.#settled();
      await this.#beReborn();
    }
    this.#heardOfMs = askedMs;
    // Where it was the store that was away, all the others are as silent as this one was, and about to be heard of again.
    if (wasSilent || hasJumped) this.#judgesFromMs = clock.elapsed() + returnMs;
  }

  /** The store was there a moment ago; if it takes none of them now, running requests wait for money no longer. */
  async #settled(): Promise<void> {
    const { clock, settle } = this.#parts;
    if (settle) await within(settle(), { clock, timeoutMs: settleTimeoutMs }).catch(() => undefined);
  }

  /**
   * Whether the database's clock was set forth, or ours stood still with the machine: then the others, whom that clock judges,
   * may have had no time to be heard of.
   */
  #hasJumped(askedMs: number, at: number): boolean {
    const before = this.#beaten;
    this.#beaten = { ms: askedMs, at };
    return before !== undefined && at - before.at > this.#parts.clock.elapsed() - before.ms + lateMs;
  }

  async #cleanUp(): Promise<void> {
    const { store, clock, replay, refused } = this.#parts;
    if (this.#mayJudge) await reap(store, clock, { replay, refused });
  }

  /** Who is not heard of itself has no right to. */
  get #mayJudge(): boolean {
    return this.isHeardOfLately && this.#parts.clock.elapsed() >= this.#judgesFromMs;
  }

  /** A name that was registered without our hearing of it dies by itself; what it was given belongs to the next one. */
  async #beReborn(): Promise<void> {
    const { store, newId, running, reborn } = this.#parts;
    const id = newId();
    const before = [this.#processId, ...this.#unheardOf];
    this.#unheardOf = [...this.#unheardOf, id].slice(-unheardOfMax);
    const charged = await store.transaction(async (tx) => {
      await registerProcess({ db: tx }, id);
      await takeBackCheckpoints(tx, before, id);
      return runWithin(tx, chargedSoFar, running());
    });
    this.#unheardOf = [];
    this.#processId = id;
    reborn(charged);
  }
}
