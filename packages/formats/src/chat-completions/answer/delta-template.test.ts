import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { completionStreamDecoder } from '../../completions/decode-stream.ts';
import { hostileText } from '../../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { chatStreamDecoder } from './decode-stream.ts';
import { learnTemplate, matchTemplate, type TextOnlyDelta } from './delta-template.ts';
import type { StreamDecoder } from './stream-decoder.ts';

/** The result of a decoder for a list of payloads, including failures. */
function outcome(decoder: StreamDecoder, payloads: readonly string[]): unknown {
  const events: StreamEvent[] = [];
  try {
    for (const payload of payloads) events.push(...decoder.push([payload]));
    events.push(...decoder.end());
    return { events, anomalies: decoder.anomalies };
  } catch (error) {
    return { events, anomalies: decoder.anomalies, error: String((error as Error).cause) };
  }
}

/** Parts of chunks, and text that only looks like them. */
const bit = fc.constantFrom(
  '{"choices":[{"index":0,"delta":{"content":"',
  '"},"finish_reason":null}]}',
  '"},"finish_reason":"stop"}]}',
  '{"choices":[{"index":0,"delta":{"reasoning_content":"',
  '{"choices":[{"index":1,"delta":{"content": "',
  'x',
  '\\',
  '\\"',
  '"',
  '","finish_reason":"stop',
  '\\u0041',
  '\\n',
  '\n',
  '\t',
  '😀',
  '<think>',
  '',
  '","content":"',
  '"}},{"delta":{"content":"',
  '{"id":"\\"content\\":\\"","choices":[{"index":0,"delta":{"content":"',
  '"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}',
);

const delta = fc.record(
  {
    content: hostileText,
    reasoning_content: hostileText,
    reasoning: hostileText,
    role: fc.constant('assistant'),
    refusal: hostileText,
    tool_calls: fc.constantFrom(null, []),
  },
  { requiredKeys: [] },
);
const chunk = fc.record(
  {
    id: fc.constantFrom('a', 'b', '"content":"', 'f1f2c0de-probe'),
    choices: fc.array(
      fc.record(
        {
          index: fc.nat(1),
          delta,
          finish_reason: fc.constantFrom(null, null, 'stop'),
          logprobs: fc.constantFrom(null, null, { content: [{ token: 'a', logprob: -1 }] }),
        },
        { requiredKeys: ['delta'] },
      ),
      { minLength: 1, maxLength: 2 },
    ),
    padding: hostileText,
    content: hostileText,
    usage: fc.constantFrom(null, { prompt_tokens: 3, completion_tokens: 4 }),
  },
  { requiredKeys: ['choices'] },
);
const textOnlyChunk = fc
  .tuple(fc.nat(1), fc.constantFrom('content', 'reasoning_content', 'reasoning', 'text'), hostileText)
  .map(([index, key, text]) => ({
    id: 'a',
    choices: [
      key === 'text' ? { index, text, finish_reason: null } : { index, delta: { [key]: text }, finish_reason: null },
    ],
  }));
/** Chunks that differ only in the text of one choice. */
const family = fc
  .tuple(chunk, fc.constantFrom('content', 'reasoning_content'), fc.array(hostileText, { maxLength: 6 }))
  .map(
    ([
      {
        choices: [first, ...others],
        ...rest
      },
      key,
      texts,
    ]) =>
      texts.map((text) => ({
        ...rest,
        choices: [{ ...first, text, delta: { ...first?.delta, [key]: text } }, ...others],
      })),
  )
  .map((chunks) => chunks.map((one) => JSON.stringify(one)));
const onePayload = fc.oneof(
  { weight: 4, arbitrary: textOnlyChunk.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: textOnlyChunk.map((value) => JSON.stringify(value, null, 1)) },
  { weight: 3, arbitrary: chunk.map((value) => JSON.stringify(value)) },
  { weight: 3, arbitrary: fc.array(bit, { maxLength: 5 }).map((bits) => bits.join('')) },
  {
    weight: 3,
    arbitrary: fc
      .array(bit, { maxLength: 2 })
      .map((bits) => `{"choices":[{"index":0,"delta":{"content":"${bits.join('')}"},"finish_reason":null}]}`),
  },
);

const anyPayloads = fc
  .array(
    fc.oneof(
      onePayload.map((payload) => [payload]),
      family,
    ),
    { maxLength: 12 },
  )
  .map((groups) => groups.flat());

test('a chat stream decodes the same with and without templates', () => {
  fc.assert(
    fc.property(anyPayloads, (payloads) => {
      const newId = () => 'made';
      expect(outcome(chatStreamDecoder({ newId }), payloads)).toEqual(
        outcome(chatStreamDecoder({ newId, templates: false }), payloads),
      );
    }),
    { numRuns: isDeep ? 1500 : 250 },
  );
});

test('a legacy stream decodes the same with and without templates', () => {
  fc.assert(
    fc.property(anyPayloads, (payloads) => {
      expect(outcome(completionStreamDecoder(), payloads)).toEqual(
        outcome(completionStreamDecoder({ templates: false }), payloads),
      );
    }),
    { numRuns: isDeep ? 500 : 80 },
  );
});

const read = (chunk: object): TextOnlyDelta | undefined => {
  const { content } = (chunk as { delta: { content: unknown } }).delta;
  return typeof content === 'string' ? { type: 'text-delta', choice: 0, key: 'content', text: content } : undefined;
};
const learn = (payload: string) => learnTemplate(payload, read(JSON.parse(payload))!, read);

test('a template is the chunk before and after the text', () => {
  expect(learn('{"id":"\\"content\\":\\"","delta":{"content" : "a\\"b\\\\"},"x":1}')).toMatchObject({
    prefix: '{"id":"\\"content\\":\\"","delta":{"content" : "',
    suffix: '"},"x":1}',
  });
});

test.each([
  ['the key first occurs elsewhere', '{"content":"x","delta":{"content":"a"}}'],
  ['another key ends like it', '{"delta":{"x\\"content":"b","content":"a"}}'],
  ['the field comes twice and the last one counts', '{"delta":{"content":"b","content":"a"}}'],
  ['the probe is in the chunk already', '{"id":"f1f2c0de-probe","delta":{"content":"a"}}'],
])('no template is learned if %s', (_, payload) => {
  expect(learn(payload)).toBeUndefined();
});

test.each([
  ['"b"', 'b'],
  ['""', ''],
  ['"\\"\\u0041\\n"', '"A\n'],
  ['"😀"', '😀'],
  ['"b","content":"c"', undefined],
  ['"b"},"finish_reason":"stop","y":{"z":"c"', undefined],
  ['"\\"', undefined],
  ['"\n"', undefined],
  ['"\\x"', undefined],
  ['null', undefined],
  ['5', undefined],
])('a chunk with %s instead of the text gives %j', (literal, text) => {
  const template = learn('{"delta":{"content":"a"},"x":1}')!;
  expect(matchTemplate(template, `{"delta":{"content":${literal}},"x":1}`)).toBe(text);
});

test('a chunk shorter than the template does not match it', () => {
  const template = learn('{"delta":{"content":"a"}}')!;
  expect(matchTemplate({ ...template, suffix: '"content":""}}' }, '{"delta":{"content":""}}')).toBeUndefined();
});

test('the decoder does not parse chunks that match the first one', () => {
  const payload = (text: string) =>
    JSON.stringify({ id: 'a', choices: [{ index: 0, delta: { content: text }, finish_reason: null }] });
  const decoder = chatStreamDecoder({ newId: () => 'made' });
  decoder.push([payload('a')]);
  const { parse } = JSON;
  try {
    JSON.parse = () => {
      throw new Error('Parsed.');
    };
    expect(decoder.push([payload('b'), payload('ü 😀')])).toEqual(
      ['b', 'ü 😀'].map((text) => ({ type: 'text-delta', choice: 0, text })),
    );
  } finally {
    JSON.parse = parse;
  }
});
