import { assert } from '../core/assert.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { PassThroughUsage } from '../core/pass-through-call.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { PassThroughBill } from './pass-through-bill.ts';

/** Reads the usage of an answer while it streams. */
export interface PassThroughReader {
  /** The next bytes, one per character. */
  see(bytes: string): void;
  /** The usage so far; complete once the answer has ended. */
  readonly used: PassThroughUsage;
}

interface PassThroughMeterParts {
  readonly bill: PassThroughBill;
  readonly read: PassThroughReader;
  readonly onError: (error: unknown) => void;
}

/**
 * Measures a pass-through answer while it streams. Its end is passed on when the charge is durable. An answer that
 * breaks off or is cancelled is charged for the part received.
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
      .catch((error: unknown) => this.onError(error));
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    // The request record awaits the same receipt and reports this error.
    if (how !== 'ended')
      void this.#charge(['the answer broke off: the part received was charged']).catch(() => undefined);
  }

  protected override onError(error: unknown): void {
    this.#parts.onError(error);
  }

  #charge(notes: readonly string[]): Promise<unknown> {
    const { bill, read } = this.#parts;
    const { promptTokens = 0, ...used } = read.used;
    return bill.charge({ ...used, promptTokens }, 'upstream', notes);
  }
}
