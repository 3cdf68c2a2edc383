import type { Clock, Timer } from '../../../core/time/clock.ts';
import { DeadLetterCharge } from './dead-letter-charge.ts';
import type { PendingCharge } from './journal-ack.ts';

interface RefusedChargesOptions {
  readonly clock: Clock;
  /** Called once with a `DeadLetterCharge` for each. */
  readonly onError: (error: unknown) => void;
  /** Retries these charges. */
  readonly retry: (refused: readonly PendingCharge[]) => void;
}

/** The cause needs a manual fix, so frequent retries do not help. */
const retryMs = 60_000;

/**
 * Dead-letter charges: they cannot be booked although others can. Each stays in the journal, which is replayed at the
 * next start, and is retried every minute until then. They do not block other charges.
 */
export class DeadLetterCharges {
  readonly #options: RefusedChargesOptions;
  readonly #reported = new WeakSet<PendingCharge>();
  #all: PendingCharge[] = [];
  #timer: Timer | undefined;

  constructor(options: RefusedChargesOptions) {
    this.#options = options;
  }

  get all(): readonly PendingCharge[] {
    return this.#all;
  }

  keep(pending: PendingCharge, error: unknown): void {
    this.#all.push(pending);
    this.#timer ??= this.#scheduleRetry();
    if (this.#reported.has(pending)) return;
    this.#reported.add(pending);
    this.#options.onError(new DeadLetterCharge(pending.settlement, error));
  }

  /** Stops the retries. The next start replays the journal. */
  stop(): void {
    this.#options.clock.cancel(this.#timer);
  }

  #scheduleRetry(): Timer {
    const timer = this.#options.clock.after(retryMs, () => {
      this.#timer = undefined;
      const refused = this.#all;
      this.#all = [];
      this.#options.retry(refused);
    });
    timer.unref();
    return timer;
  }
}
