/** A sequence of numbers in [0, 1) that is the same for the same words, so that a run can be repeated. */
export function seededRandom(...words: readonly (string | number)[]): () => number {
  let state = hashOf(words.join(' '));
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `least` to `most`, both included. */
export function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

export function oneOf<Item>(random: () => number, items: readonly Item[]): Item {
  return items[between(random, 0, items.length - 1)]!;
}

function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01_00_01_93);
  return hash | 0;
}
