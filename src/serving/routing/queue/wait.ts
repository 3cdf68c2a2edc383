import type { Clock, Timer } from '../../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Demand } from '../fair-queue/demand.ts';
import type { Ticket } from '../fair-queue/queued-account.ts';
import type { QueueEntry, WantedQueueEntry } from '../fair-queue/queue-limit.ts';
import type { Slot, WaitOptions } from './slot.ts';

/** A request's wait for a slot. It ends once: with a slot, a disconnect, the deadline, or a full queue limit. */
export class Wait {
  readonly sinceMs: number;
  readonly position: number;
  queueEntry: QueueEntry | undefined;
  /** Its ticket; another one after an idle request has turned ordinary. */
  ticket: Ticket | undefined;
  readonly #clock: Clock;
  readonly #options: WaitOptions;
  readonly #outcome = Promise.withResolvers<Slot | undefined>();
  readonly promise = this.#outcome.promise;
  #timer: Timer | undefined;
  #onGivenUp: () => void = () => {};

  constructor(clock: Clock, options: WaitOptions, position: number) {
    this.#clock = clock;
    this.#options = options;
    this.sinceMs = clock.elapsed();
    this.position = position;
  }

  /** The entry that the wait needs in the queue limit. */
  wantedQueueEntry({ accountId, bytes }: Demand): WantedQueueEntry {
    return { accountId, bytes, sendAway: this.#overloaded };
  }

  /** Starts the deadline and watches the signal; `onGivenUp` is called if the wait ends without a slot. */
  begin(onGivenUp: () => void): void {
    this.#onGivenUp = onGivenUp;
    if (this.#options.signal.aborted) return this.#aborted();
    this.#options.signal.addEventListener('abort', this.#aborted);
    const timeoutMs = Math.min(timerMaxMs, Math.max(0, this.#options.deadlineMs - this.sinceMs));
    this.#timer = this.#clock.after(timeoutMs, this.#overloaded);
  }

  /** The slot is granted; the request may take what else it needs before another request is admitted. */
  granted(): void {
    this.#options.granted?.();
  }

  isOutdated(): boolean {
    return this.#options.isOutdated?.() ?? false;
  }

  resolve(slot: Slot | undefined): void {
    this.#end();
    this.#outcome.resolve(slot);
  }

  /** The slot cannot be used. */
  reject(error: unknown): void {
    this.#end();
    this.#outcome.reject(error);
  }

  readonly #aborted = (): void => this.#giveUp(this.#options.signal.reason);

  readonly #overloaded = (): void => this.#giveUp(new GatewayError('overloaded'));

  #giveUp(error: unknown): void {
    this.#end();
    this.#onGivenUp();
    this.#outcome.reject(error);
  }

  #end(): void {
    this.#clock.cancel(this.#timer);
    this.#options.signal.removeEventListener('abort', this.#aborted);
  }
}

/** The longest delay of a timer: weeks, longer than any request waits. */
const timerMaxMs = 2 ** 31 - 1;
