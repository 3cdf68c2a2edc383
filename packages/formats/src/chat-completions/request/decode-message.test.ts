import { describe, expect, test } from 'vitest';
import { decodeChatRequest } from './decode-request.ts';

const first = (message: object) => decodeChatRequest({ model: 'm', messages: [message] }, 0).messages[0];
const assistant = (message: object) => first({ role: 'assistant', content: null, ...message })?.content;
const ephemeral = { cache_control: { type: 'ephemeral' } };
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
const reasoning = (words: string, more: object = {}) => ({ type: 'reasoning', text: words, ...more });

describe('the reasoning of an assistant message', () => {
  test.each<[object, readonly object[]]>([
    [{ reasoning_content: 'hm' }, [reasoning('hm')]],
    [{ reasoning: 'hm' }, [reasoning('hm')]],
    [{ reasoning_content: '' }, []],
    [
      { reasoning_content: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 's' }] },
      [reasoning('hm', { signature: 's' })],
    ],
    [
      {
        reasoning_details: [
          { type: 'reasoning.encrypted', data: 'd' },
          { type: 'reasoning.text', text: '', signature: 's' },
          { type: 'reasoning.summary', summary: 'in short' },
        ],
      },
      [{ type: 'redacted-reasoning', data: 'd' }, reasoning('', { signature: 's' }), reasoning('in short')],
    ],
    [{ reasoning_content: 'hm', reasoning_details: [] }, [reasoning('hm')]],
    [{ reasoning_content: 'hm', reasoning_details: [null, 5, {}, { type: 'reasoning.text' }] }, [reasoning('hm')]],
    [{ reasoning_details: 'nonsense' }, []],
  ])('is decoded from %j', (message, parts) => {
    expect(assistant(message)).toEqual(parts);
    expect(assistant({ ...message, content: 'so' })).toEqual([...parts, text('so')]);
  });
});

test('a refusal of the assistant is decoded as text', () => {
  expect(assistant({ refusal: 'no' })).toEqual([text('no')]);
  expect(assistant({ content: [{ type: 'refusal', refusal: 'no' }, text('!')] })).toEqual([text('no'), text('!')]);
});

test('a tool call keeps its signature', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const part = { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' };
  const signed = { ...call, extra_content: { google: { thought_signature: 's' } } };
  expect(assistant({ tool_calls: [call, signed, { ...call, extra_content: 5 }] })).toEqual([
    part,
    { ...part, signature: 's' },
    part,
  ]);
});

describe('a cache marker', () => {
  test('is read from a part', () => {
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const image = { type: 'image_url', image_url: { url: 'https://x.example/a.png' } };
    const content = [text('a', ephemeral), { ...image, ...hour }, text('b', { cache_control: 5 })];
    expect(first({ role: 'user', content })?.content).toEqual([
      text('a', { cache: '5m' }),
      { type: 'image', source: { url: 'https://x.example/a.png' }, cache: '1h' },
      text('b'),
    ]);
  });

  test.each(['user', 'system', 'assistant'])('on a %s message marks its last part', (role) => {
    expect(first({ role, content: [text('a'), text('b')], ...ephemeral })?.content).toEqual([
      text('a'),
      text('b', { cache: '5m' }),
    ]);
  });

  test('on a tool result or a tool stays there', () => {
    expect(first({ role: 'tool', tool_call_id: 'c', content: 'x', ...ephemeral })).toMatchObject({ cache: '5m' });
    const tools = [{ type: 'function', function: { name: 'f' }, ...ephemeral }];
    const messages = [{ role: 'user', content: 'x' }];
    expect(decodeChatRequest({ model: 'm', messages, tools }, 0).tools).toMatchObject([{ name: 'f', cache: '5m' }]);
  });
});

test.each<[object, object | undefined]>([
  [
    { type: 'image_url', image_url: { url: 'DATA:image/png;base64,AA==', detail: 'low' } },
    { mediaType: 'image/png', data: 'AA==' },
  ],
  [{ type: 'image_url', image_url: 'https://x.example/a' }, { url: 'https://x.example/a' }],
  [
    { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } },
    { mediaType: 'application/pdf', data: 'AA==' },
  ],
  [{ type: 'file', file: { file_id: 'f' } }, undefined],
  [
    { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
    { mediaType: 'audio/mp3', data: 'AA==' },
  ],
])('the media source of %j is %j', (part, source) => {
  const content = first({ role: 'user', content: [part] })?.content;
  expect(content).toEqual(source === undefined ? [] : [expect.objectContaining({ source })]);
});

test('numeric fields outside the contract are read if their values are valid', () => {
  const read = (fields: object) => {
    const request = decodeChatRequest({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...fields }, 0);
    return [request.topK, request.thinkingBudget];
  };
  expect(read({ top_k: 5, thinking: { budget_tokens: 2000 } })).toEqual([5, 2000]);
  expect(read({ top_k: -1, thinking: { budget_tokens: 'many' } })).toEqual([undefined, undefined]);
});
