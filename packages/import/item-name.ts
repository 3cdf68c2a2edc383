import { createHash } from 'node:crypto';

/** The id of a model, and a pattern for ids: without spaces, commas and control characters. */
export const modelIdForm = /^[^\s,*\p{C}]{1,256}$/u;
export const modelPatternForm = /^[^\s,\p{C}]{1,256}$/u;

const lengthMax = 64;
const suffixLength = 6;

/**
 * Makes valid and unique names out of texts of the source. A name depends on the text and the source id only, except that
 * the first of several equal texts keeps it, so that a second reading gives the same names.
 */
export function itemNames(): (text: string | null | undefined, sourceId: string) => string {
  const taken = new Set<string>();
  return (text, sourceId) => {
    const plain = slug(text ?? '') || slug(sourceId) || 'imported';
    const name = taken.has(plain) ? withSuffix(plain, sourceId) : plain;
    taken.add(name);
    return name;
  };
}

/** A name for people: one line without the characters that names refuse. `undefined` if nothing visible remains. */
export function shownName(text: string | null | undefined): string | undefined {
  const line = (text ?? '')
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/gu, '');
  const short = shortened(line.trim());
  return /[^\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(short) ? short : undefined;
}

/** Cut to the length that names here have at most, without half a character at its end. */
function shortened(text: string): string {
  return text
    .slice(0, lengthMax)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
}

export function withSuffix(name: string, sourceId: string): string {
  const suffix = createHash('sha256').update(sourceId).digest('hex').slice(0, suffixLength);
  return `${name.slice(0, lengthMax - suffixLength - 1)}-${suffix}`;
}

/** Letters, digits, `.`, `_`, `@` and `-`, as the configuration file allows them in names. */
function slug(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._@-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, lengthMax);
}
