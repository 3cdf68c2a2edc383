import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callsOf } from './answer.ts';
import type { Surface } from './settings.ts';
import { streamReader } from './stream-reader.ts';

const chat = [
  ': waiting',
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'Let me ' }),
  chunk({ reasoning_content: 'see… 🤔' }),
  chunk({ content: '你好, ' }),
  chunk({ content: 'Ada' }),
  chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
  chunk({ tool_calls: [{ index: 1, id: 'call_2', function: { name: 'time', arguments: '{}' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }),
  chunk({}, 'tool_calls'),
  `data: ${JSON.stringify({ ...headOf(), choices: [], usage: { prompt_tokens: 9, completion_tokens: 7, output_tokens: 0, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 2 } } })}`,
  'data: [DONE]',
];

const messages = [
  event('message_start', {
    message: { id: 'msg_1', model: 'm', usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 0 } },
  }),
  event('ping', {}),
  event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
  event('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Let me see… 🤔' } }),
  event('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } }),
  event('content_block_stop', { index: 0 }),
  event('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
  event('content_block_delta', { index: 1, delta: { type: 'text_delta', text: '你好, ' } }),
  event('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Ada' } }),
  event('content_block_stop', { index: 1 }),
  event('content_block_start', {
    index: 2,
    content_block: { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
  }),
  event('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '{"city":' } }),
  event('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '"Bern"}' } }),
  event('content_block_stop', { index: 2 }),
  event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } }),
  event('message_stop', {}),
];

describe('a chat-completions stream', () => {
  it('returns reasoning, text, calls and usage separately', () => {
    const { answer } = readAtOnce('chat', chat);
    expect(answer).toEqual({
      id: 'chatcmpl-1',
      model: 'm',
      parts: [
        { kind: 'thinking', text: 'Let me see… 🤔' },
        { kind: 'text', text: '你好, Ada' },
        { kind: 'call', id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
        { kind: 'call', id: 'call_2', name: 'time', arguments: '{}' },
      ],
      finish: 'tool_calls',
      usage: { promptTokens: 9, completionTokens: 7, cachedTokens: 4, reasoningTokens: 2 },
      isComplete: true,
    });
  });

  it('that breaks off is incomplete and contains the error', () => {
    const error = { code: 'upstream_failed', message: 'The model provider failed.', type: 'upstream_error' };
    const { answer } = readAtOnce('chat', [...chat.slice(0, 5), `data: ${JSON.stringify({ error })}`]);
    expect(answer.isComplete).toBe(false);
    expect(answer.error).toEqual({ code: 'upstream_failed', message: 'The model provider failed.' });
  });

  it('with malformed JSON returns an error instead of throwing', () => {
    expect(readAtOnce('chat', ['data: {oops']).answer.error).toEqual({ code: 'unreadable', message: '{oops' });
  });
});

describe('a messages stream', () => {
  it('returns blocks in order, with the signature that must be sent back', () => {
    const { answer } = readAtOnce('messages', messages);
    expect(answer).toEqual({
      id: 'msg_1',
      model: 'm',
      parts: [
        { kind: 'thinking', text: 'Let me see… 🤔', signature: 'c2ln' },
        { kind: 'text', text: '你好, Ada' },
        { kind: 'call', id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
      ],
      finish: 'tool_use',
      usage: { promptTokens: 9, completionTokens: 7, cachedTokens: 4 },
      isComplete: true,
    });
    expect(callsOf(answer).map(({ name }) => name)).toEqual(['weather']);
  });

  it('does not append the deltas of an unknown block to the text before it', () => {
    const strange = [
      ...messages.slice(0, 10),
      event('content_block_start', { index: 2, content_block: { type: 'server_tool_use', id: 's', name: 'search' } }),
      event('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } }),
    ];
    expect(readAtOnce('messages', strange).answer.parts[1]).toEqual({ kind: 'text', text: '你好, Ada' });
  });
});

describe.each(['chat', 'messages'] as const)('the reader of %s', (surface) => {
  const frames = surface === 'chat' ? chat : messages;

  it('returns the same answer and frames for any chunk boundaries', () => {
    const bytes = bytesOf(frames);
    const whole = readAtOnce(surface, frames);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 60 }), (cuts) => {
        const reader = streamReader(surface);
        const offsets = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        for (const [index, from] of offsets.entries()) reader.push(bytes.subarray(from, offsets[index + 1]), index);
        reader.end(offsets.length);
        expect(reader.answer).toEqual(whole.answer);
        expect(reader.frames.map(({ text }) => text)).toEqual(whole.frames.map(({ text }) => text));
      }),
    );
  });

  it('keeps every frame unchanged', () => {
    expect(readAtOnce(surface, frames).frames.map(({ text }) => text)).toEqual(frames);
  });

  it('keeps text after the last blank line', () => {
    const reader = streamReader(surface);
    reader.push(new TextEncoder().encode('data: {"half'), 1);
    expect(reader.frames).toEqual([]);
    reader.end(2);
    expect(reader.frames).toEqual([{ text: 'data: {"half', atMs: 2 }]);
  });
});

function readAtOnce(surface: Surface, frames: readonly string[]) {
  const reader = streamReader(surface);
  reader.push(bytesOf(frames), 0);
  reader.end(0);
  return reader;
}

function bytesOf(frames: readonly string[]): Uint8Array {
  return new TextEncoder().encode(frames.map((frame) => `${frame}\n\n`).join(''));
}

function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ ...headOf(), choices: [{ index: 0, delta, finish_reason: finish }], usage: null })}`;
}

function headOf() {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'm' };
}

function event(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}`;
}
