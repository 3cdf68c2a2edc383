import { randomBase62 } from '../../money/accounts/base62.ts';
import type { Clock } from '../../core/time/clock.ts';
import { PeriodicTasks } from '../../core/time/periodic-tasks.ts';
import { within } from '../../core/time/within.ts';
import type { Store } from '../../platform/store/store.ts';
import type { DeliveryRow, EndpointRow, Result } from './delivery.ts';
import { recordAttempt } from './record-attempt.ts';
import { fanOut, type EmailWriter } from './fan-out.ts';
import { dueDeliveries, dueEndpoints, releaseClaim, renewClaim, claimEndpoint } from './delivery-leases.ts';

export interface SenderParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Makes one attempt. Must not throw because of the endpoint, and must have its own timeout. */
  readonly send: (endpoint: EndpointRow, delivery: DeliveryRow) => Promise<Result>;
  /** Writes the e-mails about an event. */
  readonly writeEmails?: EmailWriter;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

const pollMs = 1000;
/** Endpoints that one process serves at once. A hanging endpoint occupies one of them. */
const endpointsAtOnce = 8;
/** After this number of deliveries other endpoints are served. */
const deliveriesPerClaim = 20;
const batchesPerPoll = 10;
/** Time for running attempts when the process stops. An attempt that takes longer is repeated later. */
const stopTimeoutMs = 5000;

/**
 * Delivers events and e-mails. Every process has a sender. An endpoint is served by one sender at a time, and by
 * another after a crash. A failed delivery is retried later and does not block the next one, so deliveries may arrive
 * out of order.
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #timer: PeriodicTasks;
  readonly #serving = new Map<string, Promise<void>>();
  #polling: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#timer = new PeriodicTasks(parts.clock, parts.onError);
  }

  start(): void {
    this.#timer.every(pollMs, () => this.poll());
  }

  /** Starts nothing new and waits for running attempts, up to `stopTimeoutMs`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer.stop();
    const { clock } = this.#parts;
    await within(this.settled(), { clock, timeoutMs: stopTimeoutMs }).catch(() => undefined);
  }

  /** Fans out pending events and starts to serve due endpoints. */
  async poll(): Promise<void> {
    const polling = this.#pollOnce().finally(() => {
      if (this.#polling === polling) this.#polling = undefined;
    });
    this.#polling = polling;
    await polling;
  }

  /** Resolves when nothing is running. */
  async settled(): Promise<void> {
    // The caller of `poll` gets its errors.
    await this.#polling?.catch(() => undefined);
    while (this.#serving.size > 0) await Promise.all(this.#serving.values());
  }

  async #pollOnce(): Promise<void> {
    const { store, onError } = this.#parts;
    // Waiting deliveries are sent even if the fan-out fails.
    await this.#fanOut().catch(onError);
    const free = endpointsAtOnce - this.#serving.size;
    if (free <= 0 || this.#isStopped) return;
    const due = await dueEndpoints(store.db, free);
    for (const id of due) if (!this.#isStopped && !this.#serving.has(id)) this.#startServing(id);
  }

  async #fanOut(): Promise<void> {
    const { store, writeEmails } = this.#parts;
    for (let batches = 0; batches < batchesPerPoll && !this.#isStopped; batches += 1) {
      if (!(await fanOut(store, writeEmails))) break;
    }
  }

  #startServing(id: string): void {
    const serving = this.#serve(id)
      .catch((error: unknown) => {
        // After a stop the store may be closed, so the error is expected.
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
        // The address or the secret may have changed since the previous delivery.
        const endpoint = this.#isStopped ? undefined : await renewClaim(db, id, claim);
        if (!endpoint || !(await this.#deliver(endpoint, delivery))) return;
      }
    } finally {
      await releaseClaim(db, id, claim);
    }
  }

  /** Returns whether the next delivery can be sent now. */
  async #deliver(endpoint: EndpointRow, delivery: DeliveryRow): Promise<boolean> {
    const { store, clock, send, random } = this.#parts;
    const [at, startedAt] = [clock.now(), clock.elapsed()];
    const result = await send(endpoint, delivery);
    const ms = Math.round(clock.elapsed() - startedAt);
    await recordAttempt(store, { endpoint, delivery, result, at, ms, random: random() });
    return result.fault === undefined || result.isFinal === true;
  }
}
