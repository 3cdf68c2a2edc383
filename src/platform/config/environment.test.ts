import { expect, test } from 'vitest';
import { expandVariables, isReference } from './environment.ts';

const env = { KEY: 'secret', OTHER_1: '$&${KEY}', EMPTY: '' };

test('variables are replaced anywhere in a text, and their values are not expanded again', () => {
  expect(expandVariables('a ${KEY} b ${KEY}${OTHER_1}', env)).toEqual({
    text: 'a secret b secret$&${KEY}',
    missing: [],
    malformed: [],
  });
});

test('two dollar signs before braces give literal braces', () => {
  expect(expandVariables('$${KEY} $$ $KEY {KEY}', env).text).toBe('${KEY} $$ $KEY {KEY}');
});

test('a variable that is not set, or empty, is listed as missing', () => {
  expect(expandVariables('${NOPE}${EMPTY}${constructor}', env).missing).toEqual(['NOPE', 'EMPTY', 'constructor']);
});

test('an invalid variable name is listed as malformed', () => {
  expect(expandVariables('${} ${a-b} ${KEY:-x} ${KEY', env).malformed).toEqual(['', 'a-b', 'KEY:-x', 'KEY']);
});

test('only a text that is exactly one variable is a reference', () => {
  expect(['${KEY}', '${_a1}'].every(isReference)).toBe(true);
  expect(['x${KEY}', '${KEY}x', '$${KEY}', '${KEY}${KEY}', '${}', '${a-b}', 'KEY', ''].some(isReference)).toBe(false);
});
