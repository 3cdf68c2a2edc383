import type { ChoiceEvent } from '../core/chat/stream-event.ts';
import type { ChoiceCutter } from './choice-cutter.ts';
import { StopScanner } from './stop-scanner.ts';
import { splitText, type TextDelta } from './split-text.ts';

/**
 * Ends a choice before the first stop sequence in its text, whatever the provider does. Only text counts, not call
 * arguments or reasoning. Any other event between two texts separates them.
 */
export class StoppedChoice implements ChoiceCutter {
  readonly constraint = 'stop';
  readonly #scanner: StopScanner;
  /** The deltas of the text that the scanner holds back. The first may be only a part. */
  #held: TextDelta[] = [];
  isCut = false;

  constructor(stop: readonly string[]) {
    this.#scanner = new StopScanner(stop);
  }

  pass(event: ChoiceEvent): readonly ChoiceEvent[] {
    return event.type === 'text-delta' ? this.#scan(event) : [...this.release(), event];
  }

  release(): readonly ChoiceEvent[] {
    this.#scanner.release();
    return this.#held.splice(0);
  }

  #scan(event: TextDelta): readonly ChoiceEvent[] {
    const { text, stop } = this.#scanner.push(event.text);
    const { before, after } = splitText([...this.#held, event], text.length);
    this.#held = stop === undefined ? [...after] : [];
    if (stop === undefined) return before;
    this.isCut = true;
    return [...before, { type: 'finish', choice: event.choice, reason: 'stop', raw: 'stop', stopSequence: stop }];
  }
}
