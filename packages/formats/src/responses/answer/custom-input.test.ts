import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileText } from '../../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { CustomInput } from './custom-input.ts';

function read(pieces: readonly string[]): string {
  const input = new CustomInput();
  return pieces.map((piece) => input.push(piece)).join('') + input.end();
}

function split(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });

test('the text of a custom tool is read from its arguments, however they are split', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { maxLength: 4 }), sizes, fc.boolean(), (texts, cut, isEscaped) => {
      const text = texts.join('').toWellFormed();
      const json = JSON.stringify({ input: text });
      const written = isEscaped ? json.replace(/[^\x20-\x7e]/g, escaped) : json;
      expect(read(split(written, cut))).toBe(text);
    }),
    { numRuns: 250 },
  );
});

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

test('no delta contains half a surrogate pair', () => {
  const input = new CustomInput();
  const deltas = ['{"input":"a', '\\ud8', '3d', '\\ude00 😀'.slice(0, 8), '\ude00"}'].map((piece) => input.push(piece));
  expect(deltas.join('')).toBe('a😀 😀');
  for (const delta of deltas) expect(delta.isWellFormed()).toBe(true);
});

test.each([
  ['{"patch":"*** Begin"}', '*** Begin'],
  ['{"why":"because","input":"*** Begin"}', '*** Begin'],
  ['{"input":"first","more":1}', 'first'],
  ['*** Begin Patch\n', '*** Begin Patch\n'],
  ['"a string"', 'a string'],
  ['{"a":"x","b":"y"}', '{"a":"x","b":"y"}'],
  ['{}', ''],
  ['', ''],
  [' \n{ "input" : "spaced"}', 'spaced'],
  ['{"input":"cut off', 'cut off'],
  ['{"input":"C:\\users"}', 'C:\\users'],
])('arguments that do not keep to the form still give the text: %s', (json, text) => {
  for (const cut of [[1], [3], [100]]) expect(read(split(json, cut))).toBe(text);
});
