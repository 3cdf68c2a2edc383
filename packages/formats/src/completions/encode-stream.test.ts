import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../chat/stream-event.ts';
import { arbitraryAnswer, joined } from '../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { decodedBytes } from '../../../../test/fixtures/dialects/decoded-bytes.ts';
import { usageOf } from '../../../../test/fixtures/dialects/usage.ts';
import { completionStreamDecoder } from './decode-stream.ts';
import { completionStreamEncoder, encodeCompletionBody } from './encode-stream.ts';

const text = (text: string, choice = 0): StreamEvent => ({ type: 'text-delta', choice, text });
const stopped = (choice = 0): StreamEvent => ({ type: 'finish', choice, reason: 'stop', raw: 'stop' });
const usage: StreamEvent = { type: 'usage', usage: usageOf(3, 2) };

const encoding = { id: 'cmpl-1', created: 1, model: 'm', logprobs: false, usageSource: 'acme' };
const chunks = (events: readonly StreamEvent[], logprobs = false) => {
  const encoder = completionStreamEncoder({ ...encoding, logprobs });
  const frames = (encoder.encode(events) + encoder.done())
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => frame.replace(/^data: /, ''));
  expect(frames.pop()).toBe('[DONE]');
  return frames.map((frame) => JSON.parse(frame));
};

describe('a legacy answer', () => {
  test('has text, then the finish, then the usage, and no content that the format lacks', () => {
    const head = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm', system_fingerprint: null };
    const piece = (text: string, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ text, index: 0, logprobs: null, finish_reason }],
      usage: null,
    });
    const unsupported: StreamEvent[] = [
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'tool-call-start', choice: 0, call: 0, id: 'a', name: 'f' },
    ];
    expect(chunks([...unsupported, text('a'), stopped(), text('b'), usage])).toEqual([
      piece('a'),
      piece('b'),
      piece('', 'stop'),
      {
        ...head,
        choices: [],
        usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, output_tokens: 0 }),
      },
    ]);
  });

  test('has logprobs in the legacy form if requested', () => {
    const record = (token: string, logprob: number) => ({ token, logprob, bytes: null });
    const events: StreamEvent[] = [
      text('xyz'),
      {
        ...text('ab'),
        logprobs: [
          { ...record('a', -1), alternatives: [record('a', -1), record('__proto__', -2)] },
          { ...record('b', -3), alternatives: undefined },
        ],
      } as StreamEvent,
      stopped(),
      usage,
    ];
    const [, shown] = chunks(events, true).map((chunk) => JSON.stringify(chunk.choices[0]?.logprobs));
    expect(shown).toBe(
      '{"tokens":["a","b"],"token_logprobs":[-1,-3],"top_logprobs":[{"a":-1,"__proto__":-2},null],"text_offset":[3,4]}',
    );
    expect(
      chunks(events)
        .flatMap(({ choices }) => choices)
        .map(({ logprobs }) => logprobs),
    ).toEqual([null, null, null]);
  });

  test('is one object if the client requested no stream', () => {
    expect(encodeCompletionBody([text('a'), text('b'), stopped(), usage], encoding)).toEqual({
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1,
      model: 'm',
      system_fingerprint: null,
      choices: [{ text: 'ab', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: expect.objectContaining({ prompt_tokens: 3 }),
    });
    const logprobs = [{ token: 'a', logprob: -1, bytes: null, alternatives: undefined }];
    expect(
      encodeCompletionBody([{ type: 'text-delta', choice: 0, text: 'a', logprobs }, stopped(), usage], {
        ...encoding,
        logprobs: true,
      }).choices[0]?.logprobs,
    ).toEqual({
      tokens: ['a'],
      token_logprobs: [-1],
      top_logprobs: [null],
      text_offset: [0],
    });
  });

  test('decodes to the same answer, for every division into pieces', () => {
    const answer = arbitraryAnswer({ choicesMax: 3, withCalls: false, withReasoning: false, withLogprobs: false });
    fc.assert(
      fc.property(answer, fc.integer({ min: 1, max: 300 }), (events, size) => {
        const encoder = completionStreamEncoder(encoding);
        const bytes = Buffer.from(encoder.encode(events) + encoder.done());
        expect(joined(decodedBytes(bytes, [size], completionStreamDecoder()))).toEqual(joined(events));
      }),
      { numRuns: 150 },
    );
  });
});
