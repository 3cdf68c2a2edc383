import { expect, test } from 'vitest';
import { intents } from './intents.ts';

function counted() {
  let keys = 0;
  let bodies = 0;
  const all = intents(() => `key ${++keys}`);
  return { begin: (name: string) => all.begin(name, () => `body ${++bodies}`), end: all.end };
}

test('an intent keeps its key and body until it is answered', () => {
  const { begin, end } = counted();
  const first = begin('make a key');
  expect(begin('make a key')).toBe(first);
  end('make a key');
  expect(begin('make a key')).toEqual({ idempotencyKey: 'key 2', body: 'body 2' });
});

test('a second intent has its own key and does not end the first', () => {
  const { begin, end } = counted();
  const first = begin('revoke one');
  expect(begin('revoke other').idempotencyKey).not.toBe(first.idempotencyKey);
  end('revoke other');
  expect(begin('revoke one')).toBe(first);
});

test('the oldest unanswered intents are dropped beyond the limit', () => {
  const { begin } = counted();
  const first = begin('intent 0');
  for (let index = 1; index <= 16; index += 1) begin(`intent ${index}`);
  expect(begin('intent 0')).not.toBe(first);
});
