import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../chat/stream-event.ts';
import { usageOf } from '../../../../test/fixtures/dialects/usage.ts';
import { completionStreamDecoder, decodeCompletionBody } from './decode-stream.ts';

const text = (text: string, choice = 0): StreamEvent => ({ type: 'text-delta', choice, text });
const stopped = (choice = 0): StreamEvent => ({ type: 'finish', choice, reason: 'stop', raw: 'stop' });
const usage: StreamEvent = { type: 'usage', usage: usageOf(3, 2) };

describe('the stream of a provider', () => {
  const read = (...chunks: readonly (object | string)[]): readonly StreamEvent[] => {
    const decoder = completionStreamDecoder();
    return [
      ...decoder.push(chunks.map((chunk) => (typeof chunk === 'string' ? chunk : JSON.stringify(chunk)))),
      ...decoder.end(),
    ];
  };
  const piece = (text: unknown, more: object = {}) => ({
    object: 'text_completion',
    choices: [{ text, index: 0, logprobs: null, finish_reason: null, ...more }],
  });

  test('decodes to text, finish and usage', () => {
    expect(
      read(
        piece('a'),
        piece('b'),
        piece('', { finish_reason: 'stop' }),
        { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
        '[DONE]',
      ),
    ).toEqual([text('a'), text('b'), stopped(), usage]);
    expect(read(piece('a'), piece(null), piece('<think>', { finish_reason: 'stop' }))).toEqual([
      text('a'),
      text('<think>'),
      stopped(),
    ]);
  });

  test('may have logprobs in the legacy form', () => {
    const logprobs = {
      tokens: ['a', 'b'],
      token_logprobs: [null, -1],
      top_logprobs: [null, { b: -1, __proto__x: -2 }],
      text_offset: [0, 1],
    };
    const record = (token: string, logprob: number) => ({ token, logprob, bytes: null });
    expect(read(piece('ab', { logprobs, finish_reason: 'stop' }))).toEqual([
      {
        ...text('ab'),
        logprobs: [
          { ...record('a', -9999), alternatives: undefined },
          { ...record('b', -1), alternatives: [record('b', -1), record('__proto__x', -2)] },
        ],
      },
      stopped(),
    ]);
    const newer = { content: [{ token: 'a', logprob: -1, bytes: [97] }] };
    expect(read(piece('a', { logprobs: newer, finish_reason: 'stop' }))[0]).toEqual({
      ...text('a'),
      logprobs: [{ token: 'a', logprob: -1, bytes: [97], alternatives: undefined }],
    });
  });

  test('fails if it is truncated or holds an error', () => {
    expect(() => read(piece('a'))).toThrow(expect.objectContaining({ case: 'upstream-failed' }));
    expect(() => read({ error: { code: 400 } })).toThrow(expect.objectContaining({ case: 'upstream-rejected' }));
  });

  test('may be one JSON body', () => {
    expect(decodeCompletionBody(JSON.stringify({ choices: [{ text: 'a', index: 0, finish_reason: 'stop' }] }))).toEqual(
      [text('a'), stopped()],
    );
  });
});
