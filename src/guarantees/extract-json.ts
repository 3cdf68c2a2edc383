import { JsonReader, readJson } from './json-reader.ts';

/** Blanks and the beginning of a block of code: what models write before JSON that is meant to be nothing else. */
const leadIn = /^\s*(?:```[\w-]*\s*)?/;
const partOfFence = /^\s*`{1,2}$/;

/** What stands behind the blanks and the fence before a value; nothing as long as that is all there is. */
export function behindLeadIn(text: string): string | undefined {
  const rest = text.slice(leadIn.exec(text)?.[0].length ?? 0);
  return rest === '' || partOfFence.test(text) ? undefined : rest;
}

/**
 * The one JSON value in a text, whatever is around it; nothing if there is none, or if several could be meant. A structure
 * begins with one of `roots`; other values have to be all there is, where they are taken at all.
 */
export function soleJson(text: string, roots: string, takesOthers: boolean): string | undefined {
  const plain = unfenced(text);
  if ((takesOthers || roots.includes(plain.charAt(0))) && plain !== '' && readJson(plain).isWhole) return plain;
  const found: string[] = [];
  // What was read in vain is not read again: an object inside a broken one is none.
  for (let at = nextRoot(text, 0, roots); at !== -1 && found.length < 2; ) {
    const reader = new JsonReader();
    const end = reader.push(text, at);
    if (reader.isDone) found.push(text.slice(at, end));
    at = nextRoot(text, Math.max(end, at + 1), roots);
  }
  return found.length === 1 ? found[0] : undefined;
}

function unfenced(text: string): string {
  const [, inside] = /^\s*```[\w-]*\s([^]*)```\s*$/.exec(text) ?? [];
  return (inside ?? text).trim();
}

function nextRoot(text: string, from: number, roots: string): number {
  for (let at = from; at < text.length; at++) if (roots.includes(text.charAt(at))) return at;
  return -1;
}
