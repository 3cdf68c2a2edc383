import { randomBase62 } from '../accounts/base62.ts';
import type { Clock } from '../core/clock.ts';
import { PeriodicTasks } from '../core/periodic-tasks.ts';
import { within } from '../core/within.ts';
import type { Store } from '../store/store.ts';
import type { DeliveryRow, Result } from './delivery.ts';
import { noteAttempt } from './note-attempt.ts';
import type { EndpointRow } from './webhook-endpoints.ts';
import { shareOut, type Tell } from './fan-out.ts';
import { dueDeliveries, dueEndpoints, endTurn, keepTurn, takeTurn } from './delivery-leases.ts';

export interface SenderParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Tries once. It never throws for the receiver's fault, and always ends within its own time. */
  readonly send: (receiver: EndpointRow, delivery: DeliveryRow) => Promise<Result>;
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
const deliveriesPerTurn = 20;
/** Rounds of notices in one go; more wait for the next. */
const sharesPerRound = 10;
/** How long what is under way may take when the process ends; whoever does not answer by then is told again later. */
const stopTimeoutMs = 5000;

/**
 * Brings what happened to those who want to know. Every process has one; each receiver is served by one of them at a time,
 * and by another when that dies. Deliveries do not wait for each other: one that fails is tried again later, while those
 * behind it go on, so they may arrive out of order.
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #rounds: PeriodicTasks;
  readonly #turns = new Map<string, Promise<void>>();
  #round: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicTasks(parts.clock, parts.onError);
  }

  start(): void {
    this.#rounds.every(pollMs, () => this.round());
  }

  /** Ends what is under way; nothing new is begun. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#rounds.stop();
    const { clock } = this.#parts;
    await within(this.settled(), { clock, timeoutMs: stopTimeoutMs }).catch(() => undefined);
  }

  /** Looks for what is to be told, and begins with it. */
  async round(): Promise<void> {
    const round = this.#look().finally(() => {
      if (this.#round === round) this.#round = undefined;
    });
    this.#round = round;
    await round;
  }

  /** When nothing is under way. */
  async settled(): Promise<void> {
    // Its troubles are told by whoever began it.
    await this.#round?.catch(() => undefined);
    while (this.#turns.size > 0) await Promise.all(this.#turns.values());
  }

  async #look(): Promise<void> {
    const { store, onError } = this.#parts;
    // Whatever cannot be told, what waits to be sent is sent.
    await this.#shareOut().catch(onError);
    const room = endpointsAtOnce - this.#turns.size;
    if (room <= 0 || this.#isStopped) return;
    const due = await dueEndpoints(store.db, room);
    for (const id of due) if (!this.#isStopped && !this.#turns.has(id)) this.#begin(id);
  }

  async #shareOut(): Promise<void> {
    const { store, tell } = this.#parts;
    for (let shares = 0; shares < sharesPerRound && !this.#isStopped; shares += 1) {
      if (!(await shareOut(store, tell))) break;
    }
  }

  #begin(id: string): void {
    const turn = this.#turn(id)
      .catch((error: unknown) => {
        // Who hangs at the end of the process finds its store closed.
        if (!this.#isStopped) this.#parts.onError(error);
      })
      .finally(() => this.#turns.delete(id));
    this.#turns.set(id, turn);
  }

  async #turn(id: string): Promise<void> {
    const { db } = this.#parts.store;
    const claim = randomBase62(16);
    if (!(await takeTurn(db, id, claim))) return;
    try {
      for (const delivery of await dueDeliveries(db, id, deliveriesPerTurn)) {
        // Its address and its secret may have been changed since the last one.
        const receiver = this.#isStopped ? undefined : await keepTurn(db, id, claim);
        if (!receiver || !(await this.#deliver(receiver, delivery))) return;
      }
    } finally {
      await endTurn(db, id, claim);
    }
  }

  /** Says whether the receiver may be given the next one. */
  async #deliver(receiver: EndpointRow, delivery: DeliveryRow): Promise<boolean> {
    const { store, clock, send, random } = this.#parts;
    const [at, begun] = [clock.now(), clock.elapsed()];
    const result = await send(receiver, delivery);
    const ms = Math.round(clock.elapsed() - begun);
    await noteAttempt(store, { receiver, delivery, result, at, ms, random: random() });
    return result.fault === undefined || result.isFinal === true;
  }
}
