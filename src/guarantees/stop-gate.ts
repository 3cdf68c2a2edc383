import type { EventFlow } from '../core/event-flow.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import { type ChoiceCutter, CuttingGate, type CuttingTerms } from './cutting-gate.ts';
import type { ChoiceEvent } from './promise-gate.ts';
import { StopScanner } from './stop-scanner.ts';
import { splitText, type TextDelta } from './split-text.ts';

export interface StopTerms extends CuttingTerms {
  readonly stop: readonly string[];
}

/**
 * Ends an answer before the first stop sequence in its text, whatever its provider does. Only text is looked at: a sequence
 * in the arguments of a call or in reasoning is none, and whatever stands between two texts parts them.
 */
export class StopGate extends CuttingGate {
  protected override readonly promise = 'stop';
  readonly #stop: readonly string[];

  constructor(source: EventFlow, terms: StopTerms) {
    super(source, terms);
    this.#stop = terms.stop;
  }

  protected override newCutter(choice: number): ChoiceCutter {
    return new StoppedChoice(choice, this.#stop);
  }
}

class StoppedChoice implements ChoiceCutter {
  readonly #choice: number;
  readonly #scanner: StopScanner;
  /** The pieces that what the scanner holds back came in, the first perhaps in part. */
  #held: TextDelta[] = [];
  isOver = false;
  isCut = false;

  constructor(choice: number, stop: readonly string[]) {
    this.#choice = choice;
    this.#scanner = new StopScanner(stop);
  }

  pass(event: ChoiceEvent): readonly StreamEvent[] {
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
    this.isCut = true;
    this.isOver = true;
    return [...before, { type: 'finish', choice: this.#choice, reason: 'stop', raw: 'stop', stopSequence: stop }];
  }
}
