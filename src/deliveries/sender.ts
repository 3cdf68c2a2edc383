import { randomBase62 } from '../accounts/base62.ts';
import type { Clock } from '../core/clock.ts';
import { PeriodicTasks } from '../core/periodic-tasks.ts';
import { within } from '../core/within.ts';
import type { Store } from '../store/store.ts';
import type { DeliveryRow, Result } from './delivery.ts';
import { recordAttempt } from './note-attempt.ts';
import type { EndpointRow } from './webhook-endpoints.ts';
import { fanOut, type Tell } from './fan-out.ts';
import { dueDeliveries, dueEndpoints, releaseClaim, renewClaim, claimEndpoint } from './delivery-leases.ts';

export interface SenderParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Tries once. It never throws for the receiver's fault, and always ends within its own time. */
  readonly send: (endpoint: EndpointRow, delivery: DeliveryRow) => Promise<Result>;
  /** Writes the letters that a notice is worth. */
  readonly tell?: Tell;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

const pollMs = 1000;
/** Receivers that one process serves at a time: one that hangs takes one of them, however much waits for it. */
const endpointsAtOnce = 8;
/** What a receiver gets in one turn; then others have theirs. */
const deliveriesPerClaim = 20;
/** Rounds of notices in one go; more wait for the next. */
const batchesPerPoll = 10;
/** How long what is under way may take when the process ends; whoever does not answer by then is told again later. */
const stopTimeoutMs = 5000;

/**
 * Brings what happened to those who want to know. Every process has one; each receiver is served by one of them at a time,
 * and by another when that dies. Deliveries do not wait for each other: one that fails is tried again later, while those
 * behind it go on, so they may arrive out of order.
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #timer: Rounds;
  readonly #serving = new Map<string, Promise<void>>();
  #polling: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#timer = new Rounds(parts.clock, parts.onError);
  }

  start(): void {
    this.#timer.every(pollMs, () => this.poll());
  }

  /** Ends what is under way; nothing new is begun. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer.stop();
    const { clock } = this.#parts;
    await within(this.settled(), { clock, timeoutMs: stopTimeoutMs }).catch(() => undefined);
  }

  /** Looks for what is to be told, and begins with it. */
  async poll(): Promise<void> {
    const polling = this.#pollOnce().finally(() => {
      if (this.#polling === polling) this.#polling = undefined;
    });
    this.#polling = polling;
    await polling;
  }

  /** When nothing is under way. */
  async settled(): Promise<void> {
    // Its troubles are told by whoever began it.
    await this.#polling?.catch(() => undefined);
    while (this.#serving.size > 0) await Promise.all(this.#serving.values());
  }

  async #pollOnce(): Promise<void> {
    const { store, onError } = this.#parts;
    // Whatever cannot be told, what waits to be sent is sent.
    await this.#fanOut().catch(onError);
    const free = endpointsAtOnce - this.#serving.size;
    if (free <= 0 || this.#isStopped) return;
    const due = await dueEndpoints(store.db, free);
    for (const id of due) if (!this.#isStopped && !this.#serving.has(id)) this.#startServing(id);
  }

  async #fanOut(): Promise<void> {
    const { store, tell: writeEmails } = this.#parts;
    for (let batches = 0; batches < batchesPerPoll && !this.#isStopped; batches += 1) {
      if (!(await fanOut(store, writeEmails))) break;
    }
  }

  #startServing(id: string): void {
    const serving = this.#serve(id)
      .catch((error: unknown) => {
        // Who hangs at the end of the process finds its store closed.
        if (!this.#isStopped) this.#parts.onError(error);
      })
      .finally(() => this.#serving.delete(id));
    this.#serving.set(id, serving);
  }

  async #serve(id: string): Promise<void> {
    const { db } = this.#parts.store;
    const claim = randomBase62(16);
    if (!(await claimEndpoint(db, id, claim))) return;
    try {
      for (const delivery of await dueDeliveries(db, id, deliveriesPerClaim)) {
        // Its address and its secret may have been changed since the last one.
        const endpoint = this.#isStopped ? undefined : await renewClaim(db, id, claim);
        if (!endpoint || !(await this.#deliver(endpoint, delivery))) return;
      }
    } finally {
      await releaseClaim(db, id, claim);
    }
  }

  /** Says whether the receiver may be given the next one. */
  async #deliver(endpoint: EndpointRow, delivery: DeliveryRow): Promise<boolean> {
    const { store, clock, send, random } = this.#parts;
    const [at, startedAt] = [clock.now(), clock.elapsed()];
    const result = await send(endpoint, delivery);
    const ms = Math.round(clock.elapsed() - startedAt);
    await recordAttempt(store, { endpoint, delivery, result, at, ms, random: random() });
    return result.fault === undefined || result.isFinal === true;
  }
}
