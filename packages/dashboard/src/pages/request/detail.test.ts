import { expect, it } from 'vitest';
import { isFresh } from './detail.ts';

const id = '20261115065054123abcdefghij';
const at = Date.parse('2026-11-15T06:50:54.123Z');

it.each([
  [id, at + 5000, true],
  [`chatcmpl-${id}`, at + 5000, true],
  [`msg_${id}`, at + 5000, true],
  [id, at + 60_000, false],
  ['something else', at, false],
])('the record of %s may not be written yet at %d: %s', (name, now, expected) => {
  expect(isFresh(name, now)).toBe(expected);
});
