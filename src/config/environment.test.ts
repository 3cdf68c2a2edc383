import { expect, test } from 'vitest';
import { expandVariables, isReference } from './environment.ts';

const env = { KEY: 'secret', OTHER_1: '$&${KEY}', EMPTY: '' };

test('variables are replaced anywhere in a text, and what they contain is left as it is', () => {
  expect(expandVariables('a ${KEY} b ${KEY}${OTHER_1}', env)).toEqual({
    text: 'a secret b secret$&${KEY}',
    missing: [],
    malformed: [],
  });
});

test('a doubled dollar keeps the braces', () => {
  expect(expandVariables('$${KEY} $$ $KEY {KEY}', env).text).toBe('${KEY} $$ $KEY {KEY}');
});

test('a variable that is not set, or empty, is named', () => {
  expect(expandVariables('${NOPE}${EMPTY}${constructor}', env).missing).toEqual(['NOPE', 'EMPTY', 'constructor']);
});

test('what cannot be the name of a variable is named', () => {
  expect(expandVariables('${} ${a-b} ${KEY:-x} ${KEY', env).malformed).toEqual(['', 'a-b', 'KEY:-x', 'KEY']);
});

test('only a single whole variable is a reference', () => {
  expect(['${KEY}', '${_a1}'].every(isReference)).toBe(true);
  expect(['x${KEY}', '${KEY}x', '$${KEY}', '${KEY}${KEY}', '${}', '${a-b}', 'KEY', ''].some(isReference)).toBe(false);
});
