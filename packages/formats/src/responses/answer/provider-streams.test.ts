import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import { responseLife } from '../../../../../test/response-life.ts';
import type { AssistantPart } from '../../chat/message.ts';
import { shortAndLong } from '../../cache-lifetime.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { arbitraryMessage } from '../../../../../test/fixtures/dialects/arbitrary-message.ts';
import { decodedStream } from '../../../../../test/fixtures/dialects/decoded-bytes.ts';
import { completeAnswer } from '../../complete-answer.ts';
import { decodeResponsesBody, responsesStreamDecoder } from './response-decoder.ts';
import { ResponseStream } from '../encode-stream.ts';

const encoding = {
  id: '1a',
  created: 1,
  model: 'm',
  body: { model: 'm', tools: [{ type: 'function', name: 'f' }] },
  now: () => 2,
  logprobs: false,
};

function encoded(events: readonly StreamEvent[]) {
  const stream = new ResponseStream(encoding);
  const frames = stream.encode(events) + stream.close();
  return { frames: Buffer.from(frames + stream.done()), whole: JSON.stringify(stream.shown) };
}

const decoder = (isVerbatim: boolean) => {
  let ids = 0;
  return responsesStreamDecoder({ newId: () => `n${ids++}`, isVerbatim });
};
const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });

/** The content of an answer that both formats can express, without signatures. */
function essence(events: readonly StreamEvent[]) {
  const { choices, usage } = completeAnswer(events);
  const parts: AssistantPart[] = [];
  for (const part of choices[0]?.content ?? []) {
    const last = parts.at(-1);
    if (part.type === 'redacted-reasoning' || (part.type === 'reasoning' && part.text === '')) continue;
    if (part.type === 'tool-call' || last?.type !== part.type)
      parts.push({ ...part, signature: undefined } as AssistantPart);
    else parts.splice(-1, 1, { type: part.type, text: last.text + part.text, signature: undefined } as AssistantPart);
  }
  const { promptTokens, completionTokens, cachedTokens } = usage;
  const [short = 0, long = 0] = shortAndLong(usage);
  return {
    parts,
    status: statusOf(choices[0]?.finish.reason),
    usage: { promptTokens, completionTokens, cachedTokens, written: short + long },
  };
}

function statusOf(reason: string | undefined): string | undefined {
  return reason === 'length' || reason === 'content-filter' ? reason : 'completed';
}

/** Excludes text that is split inside a surrogate pair: after decoding it looks like text that is not split. */
const wellFormed = arbitraryMessage.filter(
  (events) => JSON.stringify(events).isWellFormed() && !/\\ud[89a-f]/i.test(JSON.stringify(events)),
);

test('an encoded answer decodes to the same content, however its bytes are split', () => {
  fc.assert(
    fc.property(wellFormed, sizes, (events, cut) => {
      const { frames, whole } = encoded(events);
      expect(essence(decodedStream(frames, cut, decoder(false)))).toEqual(essence(events));
      expect(essence(decodeResponsesBody(whole, { newId: () => 'n', isVerbatim: false }))).toEqual(essence(events));
    }),
    { numRuns: isDeep ? 150 : 30 },
  );
});

test('a passed-on answer is the same however its bytes are split, and strict clients accept it', () => {
  fc.assert(
    fc.property(wellFormed, sizes, (events, cut) => {
      const { frames } = encoded(events);
      const passed = (pieces: readonly number[]) => {
        const stream = new ResponseStream({ ...encoding, id: '2b', model: 'ours' });
        const text = stream.encode(decodedStream(frames, pieces, decoder(true))) + stream.close();
        return text + stream.done();
      };
      const once = passed([frames.length]);
      expect(passed(cut)).toBe(once);
      const { response } = responseLife(once);
      expect(response).toMatchObject({ id: 'resp_2b', model: 'ours' });
    }),
    { numRuns: isDeep ? 200 : 40 },
  );
});

describe('providers that deviate from the format', () => {
  const data = (...events: readonly object[]) =>
    Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  const decode = (...events: readonly object[]) => decodedStream(data(...events), [7], decoder(false));
  const end = (more: object = {}) => ({
    type: 'response.completed',
    response: { status: 'completed', output: [], usage: { input_tokens: 3, output_tokens: 2 }, ...more },
  });
  const texts = (events: readonly StreamEvent[]) =>
    events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));

  const argumentsIn = (events: readonly StreamEvent[]) =>
    events.map((event) => (event.type === 'tool-call-delta' ? event.arguments : '')).join('');

  test('may omit event names, added events and the end of the stream', () => {
    const events = decode({ type: 'response.output_text.delta', output_index: 0, delta: 'Hi' }, end());
    expect(texts(events)).toEqual(['Hi']);
    expect(events.at(-2)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  test('may send items only in the last event', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'x' },
      { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Hi' }] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
    ];
    expect(decode(end({ output }))).toMatchObject([
      { type: 'reasoning-delta', text: 'Hm' },
      { type: 'reasoning-signature', signature: 'rs:x' },
      { type: 'text-delta', text: 'Hi' },
      { type: 'tool-call-start', id: 'call_1', name: 'f' },
      { type: 'tool-call-delta', arguments: '{"a":1}' },
      { type: 'finish', reason: 'tool-calls' },
      { type: 'usage' },
    ]);
  });

  test('may send more in the done event of a text or call than in its deltas', () => {
    const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Hi there' }] };
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{"a":1}' };
    const pieces = [
      { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' },
      { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a"' },
    ];
    const ended = [message, call].map((item, output_index) => ({
      type: 'response.output_item.done',
      output_index,
      item,
    }));
    for (const events of [decode(...pieces, ...ended, end()), decode(...pieces, end({ output: [message, call] }))]) {
      expect(texts(events).join('')).toBe('Hi there');
      expect(argumentsIn(events)).toBe('{"a":1}');
    }
  });

  test('may send another text in the done event, which is ignored', () => {
    const content = [{ type: 'output_text', text: 'Good morning' }];
    const events = decode(
      { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content } },
      end(),
    );
    expect(texts(events)).toEqual(['Hi']);
  });

  test.each([null, {}, { reason: 'something_new' }])(
    'may give no reason why an answer is incomplete: %j',
    (incomplete_details) => {
      const response = { incomplete_details, output: [], usage: { input_tokens: 1, output_tokens: 1 } };
      const incomplete = { type: 'response.incomplete', response };
      expect(decode(incomplete).find(({ type }) => type === 'finish')).toMatchObject({ reason: 'length' });
      const stream = new ResponseStream(encoding);
      const frames = Buffer.from(`data: ${JSON.stringify(incomplete)}\n\n`);
      const text = stream.encode(decodedStream(frames, [1000], decoder(true))) + stream.close() + stream.done();
      expect(responseLife(text).response).toMatchObject({
        status: 'incomplete',
        incomplete_details: incomplete_details ?? { reason: 'max_output_tokens' },
      });
    },
  );

  test('may name a call only at its end, and a call without a name is dropped', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1' };
    const pieces = [
      { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"a"' },
    ];
    const done = (name: string) => ({
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...call, name, arguments: '{"a":1}' },
    });
    expect(decode(...pieces, done('f'), end())).toMatchObject([
      { type: 'tool-call-start', call: 0, id: 'call_1', name: 'f' },
      { type: 'tool-call-delta', call: 0, arguments: '{"a"' },
      { type: 'tool-call-delta', call: 0, arguments: ':1}' },
      { type: 'finish', reason: 'tool-calls' },
      { type: 'usage' },
    ]);
    expect(decode(...pieces, done(''), end())).toMatchObject([
      { type: 'finish', reason: 'stop' },
      { type: 'usage' },
      { type: 'anomaly', what: 'tool call without a name' },
    ]);
  });

  test('may send refusals and reasoning without an added event', () => {
    const events = decode(
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm' },
      { type: 'response.refusal.delta', output_index: 1, delta: 'No' },
      end(),
    );
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'reasoning-delta', text: 'Hm' },
      { type: 'text-delta', text: 'No' },
    ]);
  });

  test('may change the ids of items between events', () => {
    const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '' };
    const events = decode(
      { type: 'response.output_item.added', output_index: 0, item: { ...call, id: 'one' } },
      { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'two', delta: '{}' },
      { type: 'response.output_item.done', output_index: 0, item: { ...call, id: 'three', arguments: '{}' } },
      end(),
    );
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'tool-call-start' },
      { type: 'tool-call-delta', arguments: '{}' },
    ]);
    expect(events.filter(({ type }) => type === 'tool-call-delta')).toHaveLength(1);
  });

  test('may send reasoning twice, as text and as a summary, and only the first is used', () => {
    const events = decode(
      { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs' } },
      { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'long' },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'short' },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', summary: [{ text: 'short' }] } },
      end(),
    );
    expect(events.filter(({ type }) => type === 'reasoning-delta')).toMatchObject([{ text: 'long' }]);
  });

  test('cause an anomaly for an item that other formats cannot express', () => {
    const item = { type: 'web_search_call', id: 'ws_1' };
    const events = decode(
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.other' },
      end(),
    );
    expect(events.filter(({ type }) => type === 'anomaly')).toEqual([
      { type: 'anomaly', what: 'an item without an equal in other formats: web_search_call' },
    ]);
  });

  test.each([
    ['an error event', { type: 'error', error: { code: 'server_error', message: 'no' } }, 'upstream-failed'],
    ['a flat error event', { type: 'error', code: 'invalid_prompt', message: 'no' }, 'upstream-rejected'],
    [
      'a failed response',
      { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded' } } },
      'upstream-failed',
    ],
    ['no end', { type: 'response.in_progress', response: {} }, 'upstream-failed'],
  ])('fail with %s', (_what, event, errorCase) => {
    expect(() => decode(event)).toThrow(expect.objectContaining({ case: errorCase }));
  });

  test.each(['failed', 'cancelled', 'queued', 'in_progress'])('fail with a body that is %s', (status) => {
    const body = JSON.stringify({ status, output: [] });
    for (const isVerbatim of [true, false])
      expect(() => decodeResponsesBody(body, { newId: () => 'n', isVerbatim })).toThrow(
        expect.objectContaining({ case: 'upstream-failed' }),
      );
  });
});
