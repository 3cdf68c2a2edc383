import { createHash } from 'node:crypto';

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
