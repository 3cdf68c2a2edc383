import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { conversationNames, conversationOf } from './conversation.ts';

const of = { accountId: 'acc', model: 'm' };
const long = 'x'.repeat(5000);

function name(messages: readonly unknown[], more: object = {}) {
  const body = { messages, ...more };
  return conversationOf({ format: 'chat-completions', body, bytes: JSON.stringify(body).length }, of);
}

const system = { role: 'system', content: long };
const first = { role: 'user', content: 'first' };

test('all turns of a conversation have the same name', () => {
  const turns = [
    [system, first],
    [system, first, { role: 'assistant', content: 'yes?' }, { role: 'user', content: 'second' }],
  ];
  const names = turns.map((messages) => name(messages));
  expect(names[0]).toBeDefined();
  expect(new Set(names).size).toBe(1);
});

test.each([
  ['instructions', [{ ...system, content: `y${long}` }, first]],
  ['first question', [system, { role: 'user', content: 'another' }]],
  ['first question in parts', [system, { role: 'user', content: [{ type: 'text', text: 'another' }] }]],
])('another %s is another conversation', (_what, messages) => {
  expect(name(messages)).not.toBe(name([system, first]));
});

test('a conversation of the responses format has a name too', () => {
  const named = (body: object) => conversationOf({ format: 'responses', body: { ...body }, bytes: 5000 }, of);
  const later = { role: 'assistant', content: 'yes?' };
  const opening = { instructions: long, input: [first] };
  expect(named({ ...opening, input: [first, later] })).toBe(named(opening));
  expect(named({ ...opening, instructions: 'other' })).not.toBe(named(opening));
  expect(named({ input: 'one' })).not.toBe(named({ input: 'two' }));
});

test('another account or model is another conversation', () => {
  const wire = { format: 'chat-completions', body: { messages: [system, first] }, bytes: 5000 } as const;
  const names = [of, { ...of, accountId: 'other' }, { ...of, model: 'other' }].map((each) =>
    conversationOf(wire, each),
  );
  expect(new Set(names).size).toBe(3);
});

test('the name for a provider is the same in every process with the secret, and reveals nothing', () => {
  const [secret, other] = ['a', 'b'].map((text) => createSecretKey(Buffer.from(text.repeat(32))));
  const conversation = name([system, first]) ?? '';
  const providerName = conversationNames(secret!)(conversation);
  expect(providerName).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(conversationNames(secret!)(conversation)).toBe(providerName);
  expect(conversationNames(other!)(conversation)).not.toBe(providerName);
  expect(conversationNames(secret!)(`${conversation}.`)).not.toBe(providerName);
});

test('a short prompt has no name, and a malformed body has one', () => {
  expect(name([first])).toBeUndefined();
  for (const messages of [[null, 7], [{ role: 'user', content: [null] }], []]) {
    expect(name(messages, { padding: long })).toBeTypeOf('string');
  }
});
