import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonScanner } from './json-scanner.ts';
import { isMemberName, tokenEnd, tokenStart } from './json-tokens.ts';

/** Characters that change the state of a scanner, in any order. */
const soup = fc
  .array(fc.constantFrom(...'{}[]",:<\\ \nau1', '\u0000', '早', '\\"', '\\u00e4', '\\ud83d'), { maxLength: 30 })
  .map((units) => units.join(''));
const anyText = fc.oneof(soup, fc.json());

/** All marks of a text with their positions, and the state after each. */
function marksIn(pieces: readonly string[], strict: boolean): unknown[] {
  const scanner = new JsonScanner({ strict });
  const marks: unknown[] = [];
  let offset = 0;
  for (const piece of pieces) {
    for (let at = scanner.next(piece, 0); at < piece.length; at = scanner.next(piece, at + 1)) {
      const { isInString, escapeLength, closers } = scanner;
      marks.push([offset + at, piece[at], isInString, escapeLength, closers.join('')]);
      scanner.escapeLength = 0;
    }
    offset += piece.length;
  }
  return [...marks, scanner.isInString, scanner.escapeLength];
}

test('a text gives the same marks in pieces of any size', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 5 }), fc.boolean(), (text, size, strict) => {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.slice(index * size, (index + 1) * size),
      );
      expect(marksIn(pieces, strict)).toEqual(marksIn([text], strict));
    }),
  );
});

test('the brackets and strings of a text are those of its value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const scanner = new JsonScanner({ strict: false });
      const text = JSON.stringify(value, undefined, 1);
      const seen = { '{': 0, '[': 0, '"': 0 };
      for (let at = scanner.next(text, 0); at < text.length; at = scanner.next(text, at + 1)) {
        const mark = text.charAt(at);
        if (mark === '{' || mark === '[' || (mark === '"' && scanner.isInString)) seen[mark]++;
      }
      expect(seen).toEqual(partsOf(value));
      expect([scanner.closers, scanner.isInString]).toEqual([[], false]);
    }),
  );
});

/** Objects, lists and strings, names included. */
function partsOf(value: unknown): { '{': number; '[': number; '"': number } {
  const parts = { '{': 0, '[': 0, '"': 0 };
  const visit = (one: unknown): void => {
    if (typeof one === 'string') parts['"']++;
    else if (Array.isArray(one)) {
      parts['[']++;
      for (const inside of one) visit(inside);
    } else if (typeof one === 'object' && one !== null) {
      parts['{']++;
      for (const [name, inside] of Object.entries(one)) [name, inside].forEach(visit);
    }
  };
  visit(value);
  return parts;
}

test('the tokens of a complete text are its names and values in order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, undefined, 1);
      const tokens: string[] = [];
      for (let at = tokenStart(text, 0); at < text.length; at = tokenStart(text, tokenEnd(text, at))) {
        const end = tokenEnd(text, at);
        tokens.push(text.slice(at, end) + (text.charAt(at) === '"' && isMemberName(text, end) ? ':' : ''));
      }
      expect(tokens).toEqual(tokensOf(value));
    }),
  );
});

function tokensOf(value: unknown): string[] {
  if (Array.isArray(value)) return ['[', ...value.flatMap(tokensOf), ']'];
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  return ['{', ...Object.entries(value).flatMap(([name, one]) => [`${JSON.stringify(name)}:`, ...tokensOf(one)]), '}'];
}
