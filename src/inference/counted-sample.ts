/** A text of which more is not counted: its tokens follow from those of the sample. */
export interface CountedSample {
  readonly text: string;
  /** How many times longer the whole text is. */
  readonly scale: number;
}

/** A tenth of a second of counting. */
export const sampleCharactersMax = 128 * 1024;
const slices = 16;

/** What is counted of a text: all of it, or slices from one end to the other when it is long. */
export function countedSample(text: string): CountedSample {
  if (text.length <= sampleCharactersMax) return { text, scale: 1 };
  const sliceCharacters = sampleCharactersMax / slices;
  const strideCharacters = (text.length - sliceCharacters) / (slices - 1);
  const cut = Array.from({ length: slices }, (_, at) => {
    const start = Math.round(at * strideCharacters);
    return text.slice(start, start + sliceCharacters);
  });
  return { text: cut.join(''), scale: text.length / sampleCharactersMax };
}
