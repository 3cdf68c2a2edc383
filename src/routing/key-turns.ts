import type { LeaseKeeper } from '../cluster/lease-keeper.ts';
import type { KeyHolder } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { QueueLimit } from './fair-queue/queue-limit.ts';
import type { Slot } from './slot.ts';
import { type UpstreamQueue, upstreamQueue } from './upstream-queue.ts';

export interface KeyTurnsParts {
  readonly clock: Clock;
  readonly room: QueueLimit;
  /** Who shares slots with other processes, where there are any. */
  readonly leases?: Pick<LeaseKeeper, 'slots' | 'retire'> | undefined;
  /** How many requests of a key are worked on at once, as the store says now; nothing of a key that it does not know. */
  readonly termsOf: (keyId: string) => Promise<TurnTerms | undefined>;
  readonly alarm: (error: unknown) => void;
}

/** What the store says of the turns of a key. */
export interface TurnTerms {
  readonly firstKeyId: string;
  /** Nothing where as many as come are worked on. */
  readonly max: number | undefined;
}

/** The slots of so many keys that nobody uses are kept at hand, so that their next request need not ask for one. */
const idleMax = 64;
/** For those who wait where a limit was taken away. */
const unlimited = 10_000;

/** Timers count whole milliseconds: who gives up when its time is over may do so this much before. */
const timerSlackMs = 2;

/**
 * The turns of keys that may have only so many requests worked on at once. A key's slots are leased as those of an
 * upstream are: all processes together never give out more, and whoever finds none waits as for any other turn.
 */
export class KeyTurns {
  readonly #parts: KeyTurnsParts;
  readonly #queues = new Map<string, KeyQueue>();
  /** Those that nobody uses, the longest first. */
  readonly #idle = new Set<KeyQueue>();
  /** How many changes were heard of. */
  #heard = 0;

  constructor(parts: KeyTurnsParts) {
    this.#parts = parts;
  }

  get heard(): number {
    return this.#heard;
  }

  /** A request's turn, which it has not had yet; nothing where its key has no such limit. */
  of(key: KeyHolder): KeyTurn | undefined {
    return key.concurrency && new KeyTurn(this, key);
  }

  /** How many slots are taken here. */
  get taken(): number {
    return [...this.#queues.values()].reduce((sum, { queue }) => sum + queue.running, 0);
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { queue }) => sum + queue.waiting, 0);
  }

  /** How many keys are remembered. */
  get known(): number {
    return this.#queues.size;
  }

  /**
   * Whoever waits need not wait for another request to hear of it. All processes keep to the lowest limit that any of them
   * knows, so a process where nobody asks has to follow too. `*` is said where changes were missed.
   */
  changed(subject: string): void {
    this.#heard += 1;
    if (subject === '*') for (const own of this.#idle) this.#forget(own);
    if (this.#queues.size === 0) return;
    const keyIds = subject === '*' ? [...this.#queues.values()].map(({ keyId }) => keyId) : [subject];
    for (const keyId of keyIds) {
      this.#parts.termsOf(keyId).then((terms) => terms && this.#follow(terms), this.#parts.alarm);
    }
  }

  /** The key with the limit it has by now; as it was where the store cannot tell. */
  async asItIs(key: KeyHolder): Promise<KeyHolder> {
    try {
      const terms = await this.#parts.termsOf(key.keyId);
      if (!terms) return key;
      const { firstKeyId, max = unlimited } = terms;
      return { ...key, concurrency: { firstKeyId, max } };
    } catch (error) {
      this.#parts.alarm(error);
      return key;
    }
  }

  /** Waits for a slot of the key. */
  async enter(key: KeyHolder, wait: TurnWait): Promise<Slot> {
    const { signal, deadlineMs, bytes, waits, gaveUp } = wait;
    const { accountId, keyId, packageName } = key;
    const own = this.#queueOf(key);
    const demand = { accountId, keyId, packageName, weight: 1, cost: 1, bytes };
    const slot = own.queue.tryEnter(demand);
    if (slot) return slot;
    waits(true);
    const sinceMs = this.#parts.clock.elapsed();
    try {
      const granted = await own.queue.enter(demand, { signal, deadlineMs });
      if (!granted) throw new GatewayError('overloaded');
      return granted;
    } catch (error) {
      this.rest(own);
      gaveUp(this.#parts.clock.elapsed() - sinceMs);
      const isLate = error instanceof GatewayError && this.#parts.clock.elapsed() >= deadlineMs - timerSlackMs;
      throw isLate ? new GatewayError('key-busy', { cause: error }) : error;
    } finally {
      waits(false);
    }
  }

  /** A slot was left: a key that nobody uses is forgotten when too many are not. */
  left(key: KeyHolder): void {
    const own = this.#queues.get(nameOf(key.concurrency?.firstKeyId ?? key.keyId));
    if (own) this.rest(own);
  }

  rest(own: KeyQueue): void {
    if (own.queue.running + own.queue.waiting > 0) return;
    this.#idle.add(own);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= idleMax) return;
      this.#forget(oldest);
    }
  }

  #forget(own: KeyQueue): void {
    this.#idle.delete(own);
    this.#queues.delete(own.name);
    this.#parts.leases?.retire(own.name);
  }

  #follow({ firstKeyId, max = unlimited }: TurnTerms): void {
    const own = this.#queues.get(nameOf(firstKeyId));
    if (!own) return;
    if (this.#idle.has(own)) this.#forget(own);
    else resize(own, max);
  }

  #queueOf(key: KeyHolder): KeyQueue {
    const name = nameOf(key.concurrency?.firstKeyId ?? key.keyId);
    const max = key.concurrency?.max ?? unlimited;
    const known = this.#queues.get(name);
    if (known) {
      this.#idle.delete(known);
      known.keyId = key.keyId;
      resize(known, max);
      return known;
    }
    const { clock, room, leases, alarm } = this.#parts;
    const queue = upstreamQueue({ clock, room, max, alarm, isOfOne: true, leased: leases?.slots(name) });
    const own = { name, queue, max, keyId: key.keyId };
    this.#queues.set(name, own);
    return own;
  }
}

interface KeyQueue {
  readonly name: string;
  readonly queue: UpstreamQueue;
  /** As was last heard, from a request or from the store. */
  max: number;
  /** The key of the last request. */
  keyId: string;
}

function resize(own: KeyQueue, max: number): void {
  if (own.max !== max) own.queue.resize(max);
  own.max = max;
}

/** What the arbiter knows the slots of a key by: no upstream has such a name. */
function nameOf(firstKeyId: string): string {
  return `${keyResource}${firstKeyId}`;
}

/** How the names of the slots of keys begin. */
export const keyResource = 'key ';

/** How a request waits for the turn of its key. */
export interface TurnWait {
  readonly signal: AbortSignal;
  /** On the clock's `elapsed` scale. */
  readonly deadlineMs: number;
  /** The memory it takes while it waits. */
  readonly bytes: number;
  readonly waits: (isWaiting: boolean) => void;
  /** Hears how long it was waited for, where that was in vain. */
  readonly gaveUp: (waitMs: number) => void;
}

/** One request's turn: it is had once, however many models are asked, and left when the request is over. */
export class KeyTurn {
  readonly #turns: KeyTurns;
  readonly #key: KeyHolder;
  #entering: Promise<Slot> | undefined;
  readonly #heard: number;
  #isOver = false;

  constructor(turns: KeyTurns, key: KeyHolder) {
    this.#turns = turns;
    this.#heard = turns.heard;
    this.#key = key;
  }

  /** How long it was waited for. */
  async enter(wait: TurnWait): Promise<number> {
    this.#entering ??= this.#first(wait);
    const { waitMs } = await this.#entering;
    return waitMs;
  }

  /** What was heard since the request came counts, and not what its key said then: that would change it for all others too. */
  async #first(wait: TurnWait): Promise<Slot> {
    let key = this.#key;
    for (let heard = this.#heard; heard !== this.#turns.heard; ) {
      heard = this.#turns.heard;
      key = await this.#turns.asItIs(key);
    }
    return this.#turns.enter(key, wait);
  }

  /** The request is over, however far it came. */
  leave(): void {
    if (this.#isOver || !this.#entering) return;
    this.#isOver = true;
    const left = (slot: Slot): void => {
      slot.leave(1);
      this.#turns.left(this.#key);
    };
    // Whoever timed out in the queue has none.
    this.#entering.then(left, () => undefined);
  }
}
