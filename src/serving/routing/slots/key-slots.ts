import { assert } from 'chat-formats/assert.ts';
import type { LeaseKeeper } from '../../../platform/cluster/lease-keeper.ts';
import type { KeyHolder } from '../../../core/caller.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { IdleTerms } from '../fair-queue/idle-terms.ts';
import type { QueueLimit } from '../fair-queue/queue-limit.ts';
import type { Slot } from '../queue/slot.ts';
import { UpstreamQueue } from '../queue/upstream-queue.ts';

export interface KeySlotsParts {
  readonly clock: Clock;
  readonly queueLimit: QueueLimit;
  /** Leases the slots from the arbiter, if there are other processes. */
  readonly leases?: Pick<LeaseKeeper, 'slots' | 'retire'> | undefined;
  /** Reads the current concurrency limits of a key from the store; `undefined` if the store has no such key. */
  readonly termsOf: (keyId: string) => Promise<KeySlotTerms | undefined>;
  readonly alarm: (error: unknown) => void;
}

export interface KeySlotTerms {
  readonly firstKeyId: string;
  /** `undefined` if the key has no limit. */
  readonly max: number | undefined;
  /** The account of the key, and the limit of its member, if it has one. */
  readonly accountId?: string;
  readonly member?: { readonly id: string; readonly max: number | undefined } | undefined;
}

/** A concurrency limit of a key or of a member. */
interface SlotLimit {
  /** The name of its slots at the arbiter: no upstream has such a name. */
  readonly name: string;
  readonly max: number;
}

/** This many idle keys keep their slots, so that their next request needs no report to the arbiter. */
const idleMax = 64;
/** The limit for requests that still wait after the limit was removed. */
const unlimited = 10_000;

/** Timers count whole milliseconds: a wait may time out this much before its deadline. */
const timerSlackMs = 2;

/**
 * The slots of keys and members with a concurrency limit. They are leased like those of an upstream: all processes
 * together never grant more than the limit, and a request without a slot waits in a fair queue. A request takes the slot
 * of its key before that of its member, so that requests never wait for each other in a circle.
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

  /** A request's slots of its key and its member, not taken yet; `undefined` if neither has a limit. */
  of(key: KeyHolder): KeySlot | undefined {
    return limitsOf(key).length === 0 ? undefined : new KeySlot(this, key);
  }

  get taken(): number {
    return [...this.#queues.values()].reduce((sum, { queue }) => sum + queue.running, 0);
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { queue }) => sum + queue.waiting + queue.idleWaiting, 0);
  }

  get known(): number {
    return this.#queues.size;
  }

  /**
   * Applies a changed limit to waiting requests at once. All processes use the lowest limit that any of them reports,
   * so a process without requests must follow too. The subject is a key, an account, or `*` if changes were missed.
   */
  changed(subject: string): void {
    this.#changes += 1;
    if (subject === '*') for (const own of this.#idle) this.#forget(own);
    if (this.#queues.size === 0) return;
    const own = [...this.#queues.values()].filter(({ accountId }) => subject === '*' || subject === accountId);
    for (const keyId of own.length > 0 ? new Set(own.map((queue) => queue.keyId)) : [subject]) {
      this.#parts.termsOf(keyId).then((terms) => terms && this.#follow(terms), this.#parts.alarm);
    }
  }

  /** The key with its current limit, or unchanged if the store returns none. */
  async withCurrentLimit(key: KeyHolder): Promise<KeyHolder> {
    try {
      const terms = await this.#parts.termsOf(key.keyId);
      if (!terms) return key;
      const { firstKeyId, max = unlimited, member } = terms;
      const { max: maxConcurrency = unlimited } = member ?? {};
      return { ...key, concurrency: { firstKeyId, max }, ...(member && { member: { id: member.id, maxConcurrency } }) };
    } catch (error) {
      this.#parts.alarm(error);
      return key;
    }
  }

  /** Takes the slots of a request. If one cannot be had, those taken before it are released. */
  async enter(key: KeyHolder, wait: KeySlotWait): Promise<readonly TakenSlot[]> {
    const taken: TakenSlot[] = [];
    try {
      for (const limit of limitsOf(key)) {
        taken.push({ name: limit.name, slot: await this.#enterOne(key, limit, wait) });
      }
      return taken;
    } catch (error) {
      for (const each of taken) this.leave(each);
      throw error;
    }
  }

  /** Releases a slot. If too many queues are idle, the longest idle ones are forgotten. */
  leave({ name, slot }: TakenSlot): void {
    slot.release(1);
    const own = this.#queues.get(name);
    if (own) this.markIdle(own);
  }

  async #enterOne(key: KeyHolder, limit: SlotLimit, wait: KeySlotWait): Promise<Slot> {
    const { signal, deadlineMs, bytes, waits, onQueueTimeout, idle } = wait;
    const { accountId, keyId, packageName } = key;
    const own = this.#queueOf(key, limit);
    const demand = { accountId, keyId: idle?.batchId ?? keyId, packageName, weight: 1, cost: 1, bytes, idle };
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

  markIdle(own: KeyQueue): void {
    if (!own.queue.isUnused) return;
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

  #follow({ firstKeyId, max, accountId = '', member }: KeySlotTerms): void {
    this.#apply({ name: keyName(firstKeyId), max: max ?? unlimited });
    if (member) this.#apply({ name: memberName(accountId, member.id), max: member.max ?? unlimited });
  }

  #apply({ name, max }: SlotLimit): void {
    const own = this.#queues.get(name);
    if (!own) return;
    if (this.#idle.has(own)) this.#forget(own);
    else resize(own, max);
  }

  #queueOf(key: KeyHolder, { name, max }: SlotLimit): KeyQueue {
    const known = this.#queues.get(name);
    if (known) {
      this.#idle.delete(known);
      known.keyId = key.keyId;
      resize(known, max);
      return known;
    }
    const { clock, queueLimit, leases, alarm } = this.#parts;
    const queue = new UpstreamQueue({ clock, queueLimit, max, alarm, isOfOne: true, leased: leases?.slots(name) });
    const own = { name, queue, max, keyId: key.keyId, accountId: key.accountId };
    this.#queues.set(name, own);
    return own;
  }
}

interface KeyQueue {
  readonly name: string;
  readonly queue: UpstreamQueue;
  /** The last limit received, from a request or from the store. */
  max: number;
  /** A key that uses it, from which the store finds its limit. */
  keyId: string;
  readonly accountId: string;
}

function resize(own: KeyQueue, max: number): void {
  if (own.max !== max) own.queue.resize(max);
  own.max = max;
}

interface TakenSlot {
  readonly name: string;
  readonly slot: Slot;
}

/** The limits of a request's key and member, in the order in which it takes their slots. */
function limitsOf({ accountId, concurrency, member }: KeyHolder): readonly SlotLimit[] {
  const ofKey = concurrency && { name: keyName(concurrency.firstKeyId), max: concurrency.max };
  const max = member?.maxConcurrency;
  const ofMember = member && max !== undefined ? { name: memberName(accountId, member.id), max } : undefined;
  return [ofKey, ofMember].filter((limit) => limit !== undefined);
}

function keyName(firstKeyId: string): string {
  return `key ${firstKeyId}`;
}

function memberName(accountId: string, userId: string): string {
  return `member ${accountId} ${userId}`;
}

export interface KeySlotWait {
  readonly signal: AbortSignal;
  /** On the clock's `elapsed` scale. */
  readonly deadlineMs: number;
  /** The memory that the request holds while it waits. */
  readonly bytes: number;
  readonly waits: (isWaiting: boolean) => void;
  /** Called with the wait time if the wait ends without a slot. */
  readonly onQueueTimeout: (waitMs: number) => void;
  /** Set for a request of the idle class. */
  readonly idle?: IdleTerms | undefined;
}

/**
 * One request's slots of its key and member: one of each for all models that are called, released when the request is
 * over. A request of the idle class may give them back and take them again.
 */
export class KeySlot {
  readonly #keySlots: KeySlots;
  readonly #key: KeyHolder;
  #entering: Promise<readonly TakenSlot[]> | undefined;
  readonly #changes: number;
  #isOver = false;

  constructor(keySlots: KeySlots, key: KeyHolder) {
    this.#keySlots = keySlots;
    this.#changes = keySlots.changes;
    this.#key = key;
  }

  /** Takes the slots; resolves with how long the request waited for them: 0 if it has them already. */
  async enter(wait: KeySlotWait): Promise<number> {
    assert(!this.#isOver, 'a request that is over takes no slot of its key');
    const isNew = this.#entering === undefined;
    this.#entering ??= this.#first(wait);
    const taken = await this.#entering;
    return isNew ? taken.reduce((sum, { slot }) => sum + slot.waitMs, 0) : 0;
  }

  /** Changes since the request arrived count: the old limit of its key would reset it for all other requests. */
  async #first(wait: KeySlotWait): Promise<readonly TakenSlot[]> {
    let key = this.#key;
    for (let changes = this.#changes; changes !== this.#keySlots.changes; ) {
      changes = this.#keySlots.changes;
      key = await this.#keySlots.withCurrentLimit(key);
    }
    return this.#keySlots.enter(key, wait);
  }

  /** Releases the slots while the request waits for something else. */
  async giveBack(): Promise<void> {
    const entering = this.#entering;
    if (this.#isOver || !entering) return;
    this.#entering = undefined;
    this.#release(await entering);
  }

  /** The request is over: releases its slots, if it has any. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // A request that timed out in the queue has no slot.
    this.#entering?.then(
      (taken) => this.#release(taken),
      () => undefined,
    );
  }

  #release(taken: readonly TakenSlot[]): void {
    for (const each of taken) this.#keySlots.leave(each);
  }
}
