import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasBackslashInName } from '../../json/safe-json.ts';
import { arbitraryRequest } from '../../../../../test/fixtures/dialects/arbitrary-request.ts';
import { spliceMembers } from '../../json/json-splice.ts';
import { objectOf, type WireObject } from '../../wire-value.ts';
import { markSplices } from './cache-marks.ts';
import { encodeMessagesRequest } from './encode-request.ts';

const long = 'All of this is said again with every turn. '.repeat(120);
const ephemeral = { type: 'ephemeral' };
const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });
const tool = (name: string, more: object = {}) => ({
  name,
  description: long,
  input_schema: { type: 'object' },
  ...more,
});
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });

/** The text of a body with cache markers added. */
const marked = (body: WireObject): string => spliceMembers(JSON.stringify(body), markSplices(body));

/** The paths of the blocks that have a marker. */
function marksIn(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each, at) => marksIn(each, `${path}.${at}`));
  const object = objectOf(value);
  if (!object) return [];
  const own = object.cache_control === undefined ? [] : [path.slice(1)];
  return [...own, ...Object.entries(object).flatMap(([name, each]) => marksIn(each, `${path}.${name}`))];
}

const markerPaths = (body: WireObject) => marksIn(JSON.parse(marked(body)));

describe('the gateway sets cache markers', () => {
  test('after the tools, the system and the last two user messages of a conversation with an answer', () => {
    const messages = [user('a'), assistant('b'), user('c'), assistant('d'), user('e')];
    expect(markerPaths({ tools: [tool('f'), tool('g')], system: 'You help.', messages })).toEqual([
      'tools.1',
      'system.0',
      'messages.2.content.0',
      'messages.4.content.0',
    ]);
  });

  test('on no message of a conversation that may end with its first answer', () => {
    expect(markerPaths({ system: long, messages: [user(long)] })).toEqual(['system.0']);
    expect(markerPaths({ system: long, messages: [user(long), assistant('{')] })).toEqual(['system.0']);
    expect(markerPaths({ system: '', messages: [user(long)] })).toEqual([]);
  });

  test('only after prompts that are long enough for a provider to cache', () => {
    expect(
      markerPaths({ tools: [{ name: 'f' }], system: 'Help.', messages: [user('a'), assistant('b'), user('c')] }),
    ).toEqual([]);
    const messages = [user('a'), assistant(long), user('c')];
    const late = ['messages.0.content.0', 'messages.2.content.0'];
    expect(markerPaths({ tools: [{ name: 'f' }], system: 'Help.', messages })).toEqual(late);
    expect(markerPaths({ tools: [{ name: 'f' }], system: long, messages: [user('a')] })).toEqual(['system.0']);
  });

  test('only on blocks that can have one', () => {
    const calls = [{ type: 'tool_use', id: 't', name: 'f', input: {} }];
    const results = [{ type: 'tool_result', tool_use_id: 't', content: [text('inner')] }, text(' \n')];
    const body = {
      tools: [tool('f'), tool('later', { defer_loading: true })],
      system: [text(long), text('')],
      messages: [user([text('a'), { type: 'container_upload', file_id: 'x' }]), assistant(calls), user(results)],
    };
    expect(markerPaths(body)).toEqual(['tools.0', 'system.0', 'messages.0.content.0', 'messages.2.content.0']);
  });
});

test.each<[string, WireObject]>([
  ['the whole request', { cache_control: ephemeral }],
  ['a tool', { tools: [tool('f', { cache_control: ephemeral }), tool('g')] }],
  ['the system', { system: [text(long, { cache_control: { type: 'ephemeral', ttl: '1h' } }), text('b')] }],
  ['a block', { messages: [user([text('a', { cache_control: ephemeral })]), assistant('b'), user('c')] }],
  ['a result', { messages: [user([{ type: 'tool_result', content: [text('a', { cache_control: ephemeral })] }])] }],
  ['a block with null', { system: [text(long, { cache_control: null })] }],
])('the gateway adds no markers if the client marked %s', (_, own) => {
  const body = { tools: [tool('f')], system: long, messages: [user('a'), assistant('b'), user('c')], ...own };
  expect(marked(body)).toBe(JSON.stringify(body));
});

/** The same without markers. A string and a single text block of it count as equal. */
function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  const object = objectOf(value);
  if (!object) return value;
  const members = Object.entries(object).filter(([name]) => name !== 'cache_control');
  return Object.fromEntries(
    members.map(([name, each]) => [
      name,
      (name === 'content' || name === 'system') && typeof each === 'string' ? [text(each)] : unmarked(each),
    ]),
  );
}

const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.oneof(fc.string(), fc.constant(long)) }),
  fc.record({ type: fc.constantFrom('tool_result', 'image', 'document'), content: fc.jsonValue({ maxDepth: 1 }) }),
  fc.record({ type: fc.constantFrom('thinking', 'tool_use', 'unheard_of'), thinking: fc.string() }),
  fc.jsonValue({ maxDepth: 1 }),
);
const blocks = fc.oneof(fc.string(), fc.constant(long), fc.array(block, { maxLength: 4 }), fc.constant(null));
const body: fc.Arbitrary<WireObject> = fc.record(
  {
    model: fc.string(),
    tools: fc.oneof(
      fc.array(fc.oneof(fc.constant(tool('f')), fc.jsonValue({ maxDepth: 1 })), { maxLength: 4 }),
      fc.constant(null),
    ),
    system: blocks,
    messages: fc.array(
      fc.oneof(
        fc.record({ role: fc.constantFrom('user', 'assistant'), content: blocks }),
        fc.jsonValue({ maxDepth: 1 }),
      ),
      { maxLength: 6 },
    ),
    stop_sequences: fc.jsonValue(),
  },
  { requiredKeys: ['messages'] },
);
const spelled = fc
  .tuple(body, fc.constantFrom(0, 1, '\t'))
  .map(([value, space]) => JSON.stringify(value, undefined, space))
  // The result of JSON.parse for such a name depends on earlier parses in the engine.
  .filter((text) => !hasBackslashInName(text));

test('an arbitrary body gets at most four markers, and is unchanged without them', () => {
  fc.assert(
    fc.property(spelled, (sent) => {
      const was = JSON.parse(sent) as WireObject;
      const is: unknown = JSON.parse(spliceMembers(sent, markSplices(was)));
      expect(marksIn(is).length).toBeLessThanOrEqual(4 + marksIn(was).length);
      if (marksIn(was).length > 0) expect(is).toEqual(was);
      else expect(unmarked(is)).toEqual(unmarked(was));
    }),
  );
});

test('numbers keep their notation in a block that gets a marker', () => {
  const sent = `{"tools":[{"name":"f","description":${JSON.stringify(long)},"input_schema":{"minimum":1.0,"x":1e400} }],"messages":[]}`;
  const mark = '"cache_control":{"type":"ephemeral"}';
  const body = { tools: [tool('f')], messages: [] };
  expect(spliceMembers(sent, markSplices(body))).toBe(sent.replace('1e400} }', `1e400} ,${mark}}`));
});

test('a request of another format gets markers by the same rules, and no other change', () => {
  const encoding = {
    model: 'm',
    maxTokens: 9,
    maxOutputTokens: 9,
    thinkingCapable: false,
    thinkingStyle: 'none',
    untranslatable: 'drop',
  } as const;
  fc.assert(
    fc.property(arbitraryRequest('chat-completions'), (some) => {
      const system = { role: 'system', content: [{ type: 'text', text: long }] } as const;
      const request = { ...some, messages: [system, ...some.messages] };
      const plain = JSON.parse(encodeMessagesRequest(request, encoding)) as WireObject;
      const is = JSON.parse(encodeMessagesRequest(request, { ...encoding, cache: 'auto' })) as WireObject;
      expect(unmarked(is)).toEqual(unmarked(plain));
      expect(marksIn(is).length).toBeLessThanOrEqual(4);
      expect(marksIn(is).length).toBeGreaterThan(0);
      expect(JSON.parse(spliceMembers(JSON.stringify(plain), markSplices(plain)))).toEqual(is);
    }),
  );
});
