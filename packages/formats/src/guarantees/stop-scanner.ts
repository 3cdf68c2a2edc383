/**
 * Searches for stop sequences in a text that arrives in pieces. The text ends before the first complete sequence; of
 * several that are complete at once, before the longest. Only text that may still become a sequence is held back. Each
 * character is examined once per sequence in amortised time (Knuth-Morris-Pratt).
 */
export class StopScanner {
  readonly #stops: readonly Stop[];
  /** For each sequence, the length of its prefix with which the text so far ends. */
  readonly #matched: number[];
  #held = '';

  constructor(sequences: readonly string[]) {
    // If several are complete at once, the longest must be found first.
    this.#stops = sequences.toSorted((one, other) => other.length - one.length).map(compileStop);
    this.#matched = this.#stops.map(() => 0);
  }

  /** Returns the text to pass on, and the sequence that ended it, if any. */
  push(piece: string): ScanResult {
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

  /** Called at the end, or when another event interrupts the text. Returns the held text: it is no sequence. */
  release(): string {
    const held = this.#held;
    this.#held = '';
    this.#matched.fill(0);
    return held;
  }

  /** Returns the longest sequence that this character completes. */
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

export interface ScanResult {
  readonly text: string;
  readonly stop: string | undefined;
}

interface Stop {
  readonly sequence: string;
  /** For each prefix, the length of the longest shorter prefix with which it ends. */
  readonly fallbacks: readonly number[];
}

function compileStop(sequence: string): Stop {
  const fallbacks = [0];
  for (let at = 1; at < sequence.length; at++) {
    let length = fallbacks[at - 1] ?? 0;
    while (length > 0 && sequence[at] !== sequence[length]) length = fallbacks[length - 1] ?? 0;
    fallbacks.push(sequence[at] === sequence[length] ? length + 1 : 0);
  }
  return { sequence, fallbacks };
}
