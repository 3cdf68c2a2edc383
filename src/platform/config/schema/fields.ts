import { z } from 'zod';

/** A whole number between two others, both included. */
export function whole(min: number, max: number) {
  return z.int().min(min).max(max);
}

/** Text with a number of characters between two others, both included. */
export function text(min: number, max: number) {
  return z.string().min(min).max(max);
}

export const bool = z.boolean();

/** A setting that is off unless the file turns it on. */
export const flag = bool.prefault(false);

/** One of several words, with the one that is used if it is left out. */
export function choice<const Word extends string>(words: readonly Word[], standard: NoInfer<Word>) {
  return z.enum(words).prefault(() => standard);
}

/** A list that is empty if left out. */
export function list<Entry extends z.ZodType>(entry: Entry, max: number) {
  return z.array(entry).max(max).prefault([]);
}

export const webUrl = z.url({ protocol: /^https?$/ });
