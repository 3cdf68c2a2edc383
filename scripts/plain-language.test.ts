import { expect, test } from 'vitest';
import { findingsIn } from './plain-language.ts';

test.each([
  ['a retired word', 'const purse = lease();'],
  ['a retired word inside an identifier', 'releaseAccountPurse();'],
  ['the plural of a retired word', '// Both lanes are open.'],
  ['two retired words with a hyphen', 'A sign-of-life is sent.'],
  ['a comment without an actor', '/** What is left goes back. */'],
  ['a comment about an unnamed thing', '# What the client sent.'],
  ['a second sentence without an actor', '// The slot is free. Who waits gets it.'],
])('%s is found', (_, line) => {
  expect(findingsIn('src/a.ts', line)).toHaveLength(1);
});

test.each([
  ['a word that contains a retired one', '// The planes of a lanette.'],
  ['a question', '## What is a slot?'],
  ['a sentence with an actor', '// The client gets what is left.'],
])('%s is accepted', (_, line) => {
  expect(findingsIn('src/a.ts', line)).toEqual([]);
});

test('a finding names the file, the line and the word to use', () => {
  expect(findingsIn('src/a.ts', '\nconst purse = 1;')).toEqual(['src/a.ts:2: "purse": account lease']);
});
