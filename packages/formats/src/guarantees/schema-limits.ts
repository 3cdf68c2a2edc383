/** Limits on the size of a schema. A time limit bounds the rest. */
const charactersMax = 128 * 1024;
const depthMax = 64;
const partsMax = 4000;
const patternCharactersMax = 512;

/** Returns why a schema is rejected, with its location. Returns undefined if it may be compiled. */
export function rejectionReason(schema: unknown, text: string): string | undefined {
  if (text.length > charactersMax) return `it is longer than ${charactersMax} characters`;
  const size: SchemaSize = { parts: 0, words: undefined };
  inspect(schema, { path: '#', depth: 0 }, size);
  return size.words;
}

interface SchemaSize {
  parts: number;
  words: string | undefined;
}

interface SchemaLocation {
  readonly path: string;
  readonly depth: number;
}

/** Checks every nested object as if it were a schema. An example value costs as much as a schema. */
function inspect(part: unknown, { path, depth }: SchemaLocation, size: SchemaSize): void {
  if (typeof part !== 'object' || part === null || size.words !== undefined) return;
  size.parts += 1;
  if (size.parts > partsMax) size.words = `it has more than ${partsMax} parts`;
  else if (depth > depthMax) size.words = `it is nested deeper than ${depthMax}`;
  else size.words = findBadReference(part, path) ?? findBadPattern(part, path);
  for (const [name, inside] of Object.entries(part)) {
    if (typeof inside !== 'object') continue;
    inspect(inside, { path: depth < shownDepth ? `${path}/${name}` : path, depth: depth + 1 }, size);
  }
}

const shownDepth = 12;

/** Only references inside the schema are allowed, because nothing is fetched. */
function findBadReference(part: object, path: string): string | undefined {
  for (const key of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference: unknown = Reflect.get(part, key);
    if (typeof reference === 'string' && !reference.startsWith('#')) {
      return `${path}/${key} refers to something outside the schema; put it into $defs and refer to it with #/$defs/…`;
    }
  }
  return undefined;
}

function findBadPattern(part: object, path: string): string | undefined {
  const { pattern, patternProperties } = part as Readonly<Record<string, unknown>>;
  const named =
    typeof patternProperties === 'object' && patternProperties !== null ? Object.keys(patternProperties) : [];
  for (const each of typeof pattern === 'string' ? [pattern, ...named] : named) {
    const words = patternError(each);
    if (words !== undefined) return `a pattern at ${path} ${words}`;
  }
  return undefined;
}

function patternError(pattern: string): string | undefined {
  if (pattern.length > patternCharactersMax) return `is longer than ${patternCharactersMax} characters`;
  if (isRepeatedTwice(pattern)) return 'repeats a group that repeats something itself, which can take unlimited time';
  return /\\[1-9]|\\k</.test(pattern) ? 'refers back to a group, which can take unlimited time' : undefined;
}

/** Whether a group that contains `*`, `+` or `{n,}` is itself repeated: the usual cause of exponential time. */
function isRepeatedTwice(pattern: string): boolean {
  const simplified = pattern.replaceAll(/\\[^]/g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');
  const groups: boolean[] = [];
  for (let at = 0; at < simplified.length; at++) {
    const repeats = /^(?:[*+]|\{\d+,\})/.test(simplified.slice(at, at + quantifierMax));
    if (simplified[at] === '(') groups.push(false);
    else if (simplified[at] === ')') {
      const holds = groups.pop() ?? false;
      const isRepeated = /^(?:[*+]|\{\d+,\d*\})/.test(simplified.slice(at + 1, at + 1 + quantifierMax));
      if (holds && isRepeated) return true;
      if ((holds || isRepeated) && groups.length > 0) groups[groups.length - 1] = true;
    } else if (repeats && groups.length > 0) groups[groups.length - 1] = true;
  }
  return false;
}

const quantifierMax = 16;
