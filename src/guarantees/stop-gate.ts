import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { TellPromise } from '../core/guarantee.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import { StopScanner } from './stop-scanner.ts';
import { splitText, type TextDelta } from './split-text.ts';

/** What a gate needs of a request. */
export interface StopTerms {
  readonly stop: readonly string[];
  /** How many answers there will be. */
  readonly choices: number;
  readonly told?: TellPromise | undefined;
}

/**
 * Ends an answer before the first stop sequence in its text, whatever its provider does. Only text is looked at: a sequence
 * in the arguments of a call or in reasoning is none, and whatever stands between two texts parts them. When every
 * choice has ended here the provider is let go, and nothing it says after that counts, so that an answer is the same
 * however its bytes come.
 */
export class StopGate extends EventRelay {
  readonly #provider: EventFlow;
  readonly #terms: StopTerms;
  readonly #choices = new Map<number, ChoiceGate>();
  /** Choices that have not ended. */
  #running: number;

  constructor(source: EventFlow, terms: StopTerms) {
    super(source);
    this.#provider = source;
    this.#terms = terms;
    this.#running = terms.choices;
  }

  override events(batch: readonly StreamEvent[]): void {
    const passed: StreamEvent[] = [];
    for (const event of batch) {
      // A client of the provider's own format gets its answer built anew: what the provider wrote goes on past the stop.
      if (event.type === 'verbatim') continue;
      const isStopped = this.#pass(event, passed);
      if (isStopped && this.#running === 0) return this.#letGo(passed);
    }
    if (passed.length > 0) super.events(passed);
  }

  override end(): void {
    const isMended = [...this.#choices.values()].some(({ isStopped }) => isStopped);
    this.#terms.told?.('stop', isMended ? 'mended' : 'kept');
    this.#releaseAll();
    super.end();
  }

  override fail(error: unknown): void {
    this.#releaseAll();
    super.fail(error);
  }

  /** Whether the event has brought a stop sequence to its end. */
  #pass(event: StreamEvent, passed: StreamEvent[]): boolean {
    if (!('choice' in event)) {
      passed.push(event);
      return false;
    }
    const gate = this.#gateOf(event.choice);
    if (gate.isOver) return false;
    passed.push(...gate.pass(event));
    if (gate.isOver) this.#running -= 1;
    return gate.isStopped;
  }

  #gateOf(choice: number): ChoiceGate {
    const gate = this.#choices.get(choice) ?? new ChoiceGate(choice, this.#terms.stop);
    this.#choices.set(choice, gate);
    return gate;
  }

  #letGo(last: readonly StreamEvent[]): void {
    this.#provider.cancel();
    this.#terms.told?.('stop', 'mended');
    super.events(last);
    super.end();
  }

  #releaseAll(): void {
    const held = [...this.#choices.values()].flatMap((gate) => gate.release());
    if (held.length > 0) super.events(held);
  }
}

/** The gate of one choice. */
class ChoiceGate {
  readonly #choice: number;
  readonly #scanner: StopScanner;
  /** The pieces that what the scanner holds back came in, the first perhaps in part. */
  #held: TextDelta[] = [];
  /** Ended by a stop sequence. */
  isStopped = false;
  /** Ended, by whatever. */
  isOver = false;

  constructor(choice: number, stop: readonly string[]) {
    this.#choice = choice;
    this.#scanner = new StopScanner(stop);
  }

  pass(event: StreamEvent): readonly StreamEvent[] {
    if (event.type === 'text-delta') return this.#scan(event);
    if (event.type === 'finish') this.isOver = true;
    return [...this.release(), event];
  }

  release(): readonly StreamEvent[] {
    this.#scanner.release();
    return this.#held.splice(0);
  }

  #scan(event: TextDelta): readonly StreamEvent[] {
    const { text, stop } = this.#scanner.push(event.text);
    const { before, after } = splitText([...this.#held, event], text.length);
    if (stop === undefined) {
      this.#held = [...after];
      return before;
    }
    this.#held = [];
    this.isStopped = true;
    this.isOver = true;
    return [...before, { type: 'finish', choice: this.#choice, reason: 'stop', raw: 'stop', stopSequence: stop }];
  }
}
