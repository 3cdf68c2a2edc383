import { InvariantViolation } from '../core/assert.ts';
import type { Clock, Timer } from '../core/clock.ts';
import type { Nano } from '../core/money.ts';
import { bisect } from '../store/bisect.ts';
import type { Store } from '../store/store.ts';
import type { UnsettledCharges } from './charging.ts';
import { DeadLetterCharge } from './dead-letter-charge.ts';
import { settleCharges } from './settle.ts';
import { settlementOf, type PendingCharge } from './journal-ack.ts';

interface RefusedChargesOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called once with a `DeadLetterCharge` for each. */
  readonly onError: (error: unknown) => void;
  /** Retries these charges. */
  readonly retry: (refused: readonly PendingCharge[]) => void;
}

/** The result of booking a batch. */
export interface ChargeOutcome extends Pick<UnsettledCharges, 'short'> {
  /** Nothing is booked for these. The value is the error. */
  readonly refused: ReadonlyMap<PendingCharge, unknown>;
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

  /** Bisects a batch that the store rejected, and books every charge that can be booked. */
  async bookSeparately(batch: readonly PendingCharge[]): Promise<ChargeOutcome> {
    const [short, broken] = [new Map<string, Nano>(), new Map<string, string>()];
    const rejected = await bisect(batch, async (some) => {
      const unsettled = await this.#options.store.commit(settleCharges, some.map(settlementOf));
      for (const [requestId, missing] of unsettled.short) short.set(requestId, missing);
      for (const [requestId, rule] of unsettled.broken) broken.set(requestId, rule);
    });
    const refused = rejected.map(({ item, error }) => [item, error] as const);
    return { short, refused: new Map([...outcomeOf(batch, { short, broken }).refused, ...refused]) };
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

/** Charges that would violate an invariant were not booked. */
export function outcomeOf(batch: readonly PendingCharge[], { short, broken }: UnsettledCharges): ChargeOutcome {
  const refused = new Map<PendingCharge, unknown>();
  for (const pending of broken.size === 0 ? [] : batch) {
    const rule = broken.get(pending.settlement.requestId);
    if (rule !== undefined) refused.set(pending, new InvariantViolation(rule));
  }
  return { short, refused };
}
