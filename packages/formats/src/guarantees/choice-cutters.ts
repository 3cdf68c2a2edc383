import type { ConstraintName } from '../chat/guarantee.ts';
import type { ChoiceEvent, StreamEvent } from '../chat/stream-event.ts';
import { StopScanner } from './stop-scanner.ts';
import { TokenCap } from '../chat/token-cap.ts';

/** May cut one choice off. Receives no events after the choice is over. */
export interface ChoiceCutter {
  readonly constraint: ConstraintName;
  /** Returns the events to pass on, followed by a finish if the choice is cut. */
  pass(event: ChoiceEvent): readonly ChoiceEvent[];
  /** Returns the held events. Called when nothing more comes. */
  release(): readonly ChoiceEvent[];
  readonly isCut: boolean;
}

/** Ends a choice before a stop sequence in its text, not in calls or reasoning. Other events separate texts. */
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

/** Ends a choice that exceeds `max_tokens`, for providers that do not. Holds nothing back. */
export class CappedChoice implements ChoiceCutter {
  readonly constraint = 'max_tokens';
  readonly #cap: TokenCap;
  isCut = false;

  constructor(maxTokens: number) {
    this.#cap = new TokenCap(maxTokens);
  }

  pass(event: ChoiceEvent): readonly ChoiceEvent[] {
    const cut = this.#cap.cut(event);
    this.isCut = cut !== undefined;
    return cut ?? [event];
  }

  release(): readonly ChoiceEvent[] {
    return [];
  }
}

export type TextDelta = Extract<StreamEvent, { type: 'text-delta' }>;

/** Splits deltas after `length` characters. A token's logprob record stays with the token's first character. */
function splitText(
  pieces: readonly TextDelta[],
  length: number,
): { readonly before: readonly TextDelta[]; readonly after: readonly TextDelta[] } {
  const before: TextDelta[] = [];
  const after: TextDelta[] = [];
  let left = length;
  for (const piece of pieces) {
    const size = piece.text.length;
    if (after.length === 0 && size <= left) before.push(piece);
    else if (left === 0) after.push(piece);
    else {
      const [head, tail] = halves(piece, left);
      before.push(head);
      after.push(tail);
    }
    left = Math.max(0, left - size);
  }
  return { before, after };
}

function halves(piece: TextDelta, length: number): readonly [TextDelta, TextDelta] {
  const { text, logprobs, ...rest } = piece;
  const [head, tail] = [text.slice(0, length), text.slice(length)];
  if (!logprobs)
    return [
      { ...rest, text: head },
      { ...rest, text: tail },
    ];
  let at = 0;
  const first = logprobs.findIndex(({ token }) => {
    const begins = at;
    at += token.length;
    return begins >= length;
  });
  const cut = first === -1 ? logprobs.length : first;
  return [
    { ...rest, text: head, logprobs: logprobs.slice(0, cut) },
    { ...rest, text: tail, logprobs: logprobs.slice(cut) },
  ];
}
