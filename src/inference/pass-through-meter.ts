import { assert } from '../core/assert.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { PassThroughUsage } from '../core/pass-through-call.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { PassThroughBill } from './pass-through-bill.ts';

/** Reads what an answer uses while it passes. */
export interface PassThroughReader {
  /** The next bytes, a character each. */
  see(bytes: string): void;
  /** What was used so far; all of it once the answer has ended. */
  readonly used: PassThroughUsage;
}

interface PassThroughMeterParts {
  readonly bill: PassThroughBill;
  readonly read: PassThroughReader;
  readonly onError: (error: unknown) => void;
}

/**
 * Watches an answer pass that is not of tokens. Its end is passed on when the charge is durable; one that breaks off or is
 * given up is charged for what came of it.
 */
export class PassThroughMeter extends EventRelay {
  readonly #parts: PassThroughMeterParts;
  #isEnding = false;

  constructor(source: EventFlow, parts: PassThroughMeterParts) {
    super(source);
    this.#parts = parts;
  }

  override events(batch: readonly StreamEvent[]): void {
    for (const event of batch) if (event.type === 'verbatim') this.#parts.read.see(event.text);
    super.events(batch);
  }

  override end(): void {
    assert(!this.#isEnding, 'an answer ends once');
    this.#isEnding = true;
    this.#charge([])
      .then(() => super.end())
      .catch((error: unknown) => this.fail(error))
      .catch((error: unknown) => this.trouble(error));
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    // The record of the request waits for the receipt too, and says what went wrong with it.
    if (how !== 'ended') void this.#charge(['it broke off: what came of it was charged']).catch(() => undefined);
  }

  protected override trouble(error: unknown): void {
    this.#parts.onError(error);
  }

  #charge(notes: readonly string[]): Promise<unknown> {
    const { bill, read } = this.#parts;
    const { promptTokens = 0, ...used } = read.used;
    return bill.charge({ ...used, promptTokens }, 'upstream', notes);
  }
}
