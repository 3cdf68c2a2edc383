/**
 * Looks for stop sequences in a text that comes in pieces. The text ends before the first sequence that is complete, the
 * longest of those that are complete at once. What may still become one is held back, and nothing else. Each character is
 * looked at once for each sequence, however the pieces fall and whatever the sequences are (Knuth, Morris and Pratt).
 */
export class StopScanner {
  readonly #stops: readonly Stop[];
  /** For each sequence, how much of it the text so far ends with. */
  readonly #matched: number[];
  #held = '';

  constructor(sequences: readonly string[]) {
    // Where several are complete at once the longest is found first.
    this.#stops = sequences.toSorted((one, other) => other.length - one.length).map(stopOf);
    this.#matched = this.#stops.map(() => 0);
  }

  /** What of the text may go on, and the sequence that has ended it. */
  push(piece: string): Scanned {
    for (let at = 0; at < piece.length; at++) {
      const stop = this.#step(piece.charCodeAt(at));
      if (stop === undefined) continue;
      const before = this.#held + piece.slice(0, at + 1);
      this.#held = '';
      return { text: before.slice(0, before.length - stop.length), stop };
    }
    const seen = this.#held + piece;
    const free = seen.length - Math.max(0, ...this.#matched);
    this.#held = seen.slice(free);
    return { text: seen.slice(0, free), stop: undefined };
  }

  /** The text is over, or something else comes before its next piece: what was held back was none after all. */
  release(): string {
    const held = this.#held;
    this.#held = '';
    this.#matched.fill(0);
    return held;
  }

  /** The longest sequence that this character completes. */
  #step(code: number): string | undefined {
    let complete: string | undefined;
    for (const [index, { sequence, fallbacks }] of this.#stops.entries()) {
      let matched = this.#matched[index] ?? 0;
      while (matched > 0 && sequence.charCodeAt(matched) !== code) matched = fallbacks[matched - 1] ?? 0;
      if (sequence.charCodeAt(matched) === code) matched += 1;
      this.#matched[index] = matched;
      if (matched === sequence.length) complete ??= sequence;
    }
    return complete;
  }
}

/** What came of a piece of text. */
export interface Scanned {
  readonly text: string;
  readonly stop: string | undefined;
}

interface Stop {
  readonly sequence: string;
  /** For each beginning, the length of the longest shorter one that it ends with. */
  readonly fallbacks: readonly number[];
}

function stopOf(sequence: string): Stop {
  const fallbacks = [0];
  for (let at = 1; at < sequence.length; at++) {
    let length = fallbacks[at - 1] ?? 0;
    while (length > 0 && sequence[at] !== sequence[length]) length = fallbacks[length - 1] ?? 0;
    fallbacks.push(sequence[at] === sequence[length] ? length + 1 : 0);
  }
  return { sequence, fallbacks };
}
