import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldName } from './invalid-request.ts';
import { spendingOf, withFields } from './spending.ts';

const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'big' };
const file = { type: 'document', source: { type: 'file', file_id: 'file_1' } };
const turn = (...content: readonly unknown[]) => ({ messages: [{ role: 'user', content }] });

describe('the fields of a messages request that cost', () => {
  test.each([
    ['fallbacks[0].model', 'big', { fallbacks: [{ model: 'big' }] }],
    ['fallbacks.model', 'big', { fallbacks: { model: 'big' } }],
    ['fallbacks', 'default', { fallbacks: 'default' }],
    ['tools[1].model', 'big', { tools: [{ name: 'mine', input_schema: {} }, advisor] }],
    [
      'messages[0].content[0].tool.definition.model',
      'big',
      turn({ type: 'tool_addition', tool: { type: 'tool_definition', definition: advisor } }),
    ],
  ])('%s names the model %s', (path, name, body) => {
    const found = spendingOf('messages', body)?.models.map((each) => [fieldName(each.path), each.name]);
    expect(found).toEqual([[path, name]]);
  });

  test.each([
    ['container', 'c_1', { container: 'c_1' }],
    ['container.id', 'c_1', { container: { id: 'c_1', skills: [] } }],
    ['container.skills[0].skill_id', 's_1', { container: { skills: [{ type: 'custom', skill_id: 's_1' }] } }],
    ['thread', '', { thread: { type: 'continue', previous_message_id: 'msg_1' } }],
    ['messages[0].content[0].file_id', 'file_1', turn({ type: 'container_upload', file_id: 'file_1' })],
    ['messages[0].content[0].source.file_id', 'file_1', turn(file)],
    [
      'messages[0].content[0].content[0].source.file_id',
      'file_1',
      turn({ type: 'tool_result', tool_use_id: 't', content: [file] }),
    ],
  ])('%s names the stored %s', (path, name, body) => {
    const found = spendingOf('messages', body)?.stored.map((each) => [fieldName(each.path), each.name]);
    expect(found).toEqual([[path, name]]);
  });

  test('an ordinary request has none, also if the arguments of a call look like one', () => {
    const call = {
      type: 'tool_use',
      id: 't',
      name: 'open',
      input: { file_id: 'file_1', container: 'c_1', model: 'm' },
    };
    expect(spendingOf('messages', { model: 'small', tools: [{ name: 'open' }], ...turn(call) })).toBeUndefined();
    expect(spendingOf('messages', { context_management: { edits: [{ type: 'clear_thinking' }] } })).toBeUndefined();
  });

  test('an empty field is noticed but names nothing', () => {
    const nothing = { models: [], stored: [], rights: [], compacts: false };
    expect(spendingOf('messages', { fallbacks: null })).toEqual(nothing);
    expect(spendingOf('messages', { container: null })).toEqual(nothing);
  });

  test('rights and compactions are found', () => {
    const body = { billing_policy: { bill_to: 'x' }, context_management: { edits: [{ type: 'compact_20260112' }] } };
    expect(spendingOf('messages', body)).toMatchObject({ rights: [['billing_policy']], compacts: true });
  });
});

test('the other formats have their own fields', () => {
  const image = { type: 'image_generation', model: 'painter', svg: { model: 'drawer' } };
  const found = spendingOf('responses', { tools: [image], access_programs: { cyber: 'daybreak_red' } });
  expect(found?.models.map(({ name }) => name)).toEqual(['painter', 'drawer']);
  expect(found?.rights).toEqual([['access_programs']]);
  expect(spendingOf('responses', { tools: [{ type: 'file_search', vector_store_ids: ['v'] }] })?.stored).toHaveLength(
    1,
  );
  expect(spendingOf('chat-completions', { models: ['a', 'b'], fallbacks: ['c', { model: 'd' }] })?.models).toHaveLength(
    4,
  );
  expect(spendingOf('chat-completions', { messages: [{ role: 'user', content: 'hello' }] })).toBeUndefined();
});

test('more names than a request has a use for are refused', () => {
  const fallbacks = Array.from({ length: 300 }, () => ({ model: 'big' }));
  expect(spendingOf('messages', { fallbacks: fallbacks.slice(0, 256) })?.models).toHaveLength(256);
  expect(() => spendingOf('messages', { fallbacks })).toThrow('fallbacks[256].model is one of more than 256 fields');
});

test('a field gets another value, or is removed, and no other changes', () => {
  const body = { a: [{ model: 'x', b: 1 }, { model: 'y' }], c: { d: 1, e: 2 } };
  const changed = withFields(body, [
    [['a', 1, 'model'], 'z'],
    [['c', 'd'], undefined],
  ]);
  expect(changed).toEqual({ a: [{ model: 'x', b: 1 }, { model: 'z' }], c: { e: 2 } });
  expect(body.c.d).toBe(1);
});

test('no body makes the search fail', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const format of ['messages', 'responses', 'chat-completions'] as const) {
        spendingOf(format, { fallbacks: value, tools: value, messages: value, input: value, container: value });
      }
    }),
  );
});
