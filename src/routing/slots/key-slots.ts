import type { LeaseKeeper } from '../../cluster/lease-keeper.ts';
import type { KeyHolder } from '../../core/caller.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import type { QueueLimit } from '../fair-queue/queue-limit.ts';
import type { Slot } from './slot.ts';
import { UpstreamQueue } from '../queue/upstream-queue.ts';

export interface KeySlotsParts {
  readonly clock: Clock;
  readonly queueLimit: QueueLimit;
  /** Leases the slots from the arbiter, if there are other processes. */
  readonly leases?: Pick<LeaseKeeper, 'slots' | 'retire'> | undefined;
  /** Reads the current concurrency limit of a key from the store; `undefined` if the store has no such key. */
  readonly termsOf: (keyId: string) => Promise<KeySlotTerms | undefined>;
  readonly alarm: (error: unknown) => void;
}

export interface KeySlotTerms {
  readonly firstKeyId: string;
  /** `undefined` if the key has no limit. */
  readonly max: number | undefined;
}

/** This many idle keys keep their slots, so that their next request needs no report to the arbiter. */
const idleMax = 64;
/** The limit for requests that still wait after the limit was removed. */
const unlimited = 10_000;

/** Timers count whole milliseconds: a wait may time out this much before its deadline. */
const timerSlackMs = 2;

/**
 * The slots of keys with a concurrency limit. They are leased like those of an upstream: all processes together never
 * grant more than the limit, and a request without a slot waits in a fair queue.
 */
export class KeySlots {
  readonly #parts: KeySlotsParts;
  readonly #queues = new Map<string, KeyQueue>();
  /** Queues without requests, the longest idle first. */
  readonly #idle = new Set<KeyQueue>();
  #changes = 0;

  constructor(parts: KeySlotsParts) {
    this.#parts = parts;
  }

  get changes(): number {
    return this.#changes;
  }

  /** A request's slot of its key, not taken yet; `undefined` if the key has no limit. */
  of(key: KeyHolder): KeySlot | undefined {
    return key.concurrency && new KeySlot(this, key);
  }

  get taken(): number {
    return [...this.#queues.values()].reduce((sum, { queue }) => sum + queue.running, 0);
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { queue }) => sum + queue.waiting, 0);
  }

  get known(): number {
    return this.#queues.size;
  }

  /**
   * Applies a changed limit to waiting requests at once. All processes use the lowest limit that any of them reports,
   * so a process without requests must follow too. The subject is `*` if changes were missed.
   */
  changed(subject: string): void {
    this.#changes += 1;
    if (subject === '*') for (const own of this.#idle) this.#forget(own);
    if (this.#queues.size === 0) return;
    const keyIds = subject === '*' ? [...this.#queues.values()].map(({ keyId }) => keyId) : [subject];
    for (const keyId of keyIds) {
      this.#parts.termsOf(keyId).then((terms) => terms && this.#follow(terms), this.#parts.alarm);
    }
  }

  /** The key with its current limit, or unchanged if the store returns none. */
  async withCurrentLimit(key: KeyHolder): Promise<KeyHolder> {
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

  async enter(key: KeyHolder, wait: KeySlotWait): Promise<Slot> {
    const { signal, deadlineMs, bytes, waits, onQueueTimeout } = wait;
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
      this.markIdle(own);
      onQueueTimeout(this.#parts.clock.elapsed() - sinceMs);
      const isLate = error instanceof GatewayError && this.#parts.clock.elapsed() >= deadlineMs - timerSlackMs;
      throw isLate ? new GatewayError('key-busy', { cause: error }) : error;
    } finally {
      waits(false);
    }
  }

  /** A slot was released: if too many keys are idle, the longest idle ones are forgotten. */
  left(key: KeyHolder): void {
    const own = this.#queues.get(nameOf(key.concurrency?.firstKeyId ?? key.keyId));
    if (own) this.markIdle(own);
  }

  markIdle(own: KeyQueue): void {
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

  #follow({ firstKeyId, max = unlimited }: KeySlotTerms): void {
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
    const { clock, queueLimit, leases, alarm } = this.#parts;
    const queue = new UpstreamQueue({ clock, queueLimit, max, alarm, isOfOne: true, leased: leases?.slots(name) });
    const own = { name, queue, max, keyId: key.keyId };
    this.#queues.set(name, own);
    return own;
  }
}

interface KeyQueue {
  readonly name: string;
  readonly queue: UpstreamQueue;
  /** The last limit received, from a request or from the store. */
  max: number;
  keyId: string;
}

function resize(own: KeyQueue, max: number): void {
  if (own.max !== max) own.queue.resize(max);
  own.max = max;
}

/** The name of a key's slots at the arbiter: no upstream has such a name. */
function nameOf(firstKeyId: string): string {
  return `${keyResource}${firstKeyId}`;
}

/** Prefix of the names of keys' slots. */
export const keyResource = 'key ';

export interface KeySlotWait {
  readonly signal: AbortSignal;
  /** On the clock's `elapsed` scale. */
  readonly deadlineMs: number;
  /** The memory that the request holds while it waits. */
  readonly bytes: number;
  readonly waits: (isWaiting: boolean) => void;
  /** Called with the wait time if the wait ends without a slot. */
  readonly onQueueTimeout: (waitMs: number) => void;
}

/** One request's slot of its key: taken once, however many models are called, and released when the request is over. */
export class KeySlot {
  readonly #keySlots: KeySlots;
  readonly #key: KeyHolder;
  #entering: Promise<Slot> | undefined;
  readonly #changes: number;
  #isOver = false;

  constructor(keySlots: KeySlots, key: KeyHolder) {
    this.#keySlots = keySlots;
    this.#changes = keySlots.changes;
    this.#key = key;
  }

  /** Takes the slot; resolves with how long the request waited for it. */
  async enter(wait: KeySlotWait): Promise<number> {
    this.#entering ??= this.#first(wait);
    const { waitMs } = await this.#entering;
    return waitMs;
  }

  /** Changes since the request arrived count: the old limit of its key would reset it for all other requests. */
  async #first(wait: KeySlotWait): Promise<Slot> {
    let key = this.#key;
    for (let changes = this.#changes; changes !== this.#keySlots.changes; ) {
      changes = this.#keySlots.changes;
      key = await this.#keySlots.withCurrentLimit(key);
    }
    return this.#keySlots.enter(key, wait);
  }

  /** The request is over: releases its slot, if it has one. */
  leave(): void {
    if (this.#isOver || !this.#entering) return;
    this.#isOver = true;
    const left = (slot: Slot): void => {
      slot.release(1);
      this.#keySlots.left(this.#key);
    };
    // A request that timed out in the queue has no slot.
    this.#entering.then(left, () => undefined);
  }
}
