import { expect, test } from 'vitest';
import { withReply } from './adopt-reply.ts';

const key = { id: 'key_1', name: 'Laptop', version: 'old' };
const other = { id: 'key_2', name: 'Laptop', version: 'old' };

test('the reply of a write replaces every cached copy of the document, without its secret', () => {
  const reply = { id: 'key_1', name: 'Desk', version: 'new', secret: 'gwk_live' };
  const updated = { id: 'key_1', name: 'Desk', version: 'new' };
  expect(withReply(key, reply, false)).toEqual(updated);
  expect(withReply({ data: [other, key], next: null }, reply, false)).toEqual({ data: [other, updated], next: null });
  const pages = {
    pages: [
      { data: [key], next: 'more' },
      { data: [other], next: null },
    ],
    pageParams: [undefined, 'more'],
  };
  expect(withReply(pages, reply, false)).toEqual({
    ...pages,
    pages: [{ data: [updated], next: 'more' }, pages.pages[1]],
  });
});

test('configuration entries are matched by kind and name, documents without an id by their path', () => {
  const model = { kind: 'model', name: 'plain', version: 'old' };
  const site = { kind: 'site', name: 'plain', version: 'old' };
  const reply = { ...model, version: 'new' };
  expect(withReply([model, site], reply, false)).toEqual([reply, site]);
  expect(withReply({ low_balance: '5', version: 'old' }, { version: 'new' }, false)).toHaveProperty('version', 'old');
  expect(withReply({ low_balance: '5', version: 'old' }, { version: 'new' }, true)).toHaveProperty('version', 'new');
  expect(withReply(undefined, reply, true)).toBeUndefined();
});
