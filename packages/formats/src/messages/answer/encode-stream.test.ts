import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import { messageLife } from '../../../../../test/message-life.ts';
import type { FinishReason, StreamEvent } from '../../chat/stream-event.ts';
import { arbitraryEvents, arbitraryMessage } from '../../../../../test/fixtures/dialects/arbitrary-message.ts';
import { decodedStream } from '../../../../../test/fixtures/dialects/decoded-bytes.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { completeAnswer } from '../../complete-answer.ts';
import { messagesStreamDecoder } from './message-decoder.ts';
import { MessagesStreamEncoder } from './encode-stream.ts';
import { encodeMessagesErrorFrame, pingFrame } from './message-frames.ts';

const encoding = { id: 'msg_1', model: 'm', promptTokens: 5 };
const encode = (events: readonly StreamEvent[]): string => {
  const encoder = new MessagesStreamEncoder(encoding);
  return encoder.encode(events) + encoder.done();
};
const decode = (text: string, sizes: readonly number[] = [1_000_000]) =>
  decodedStream(Buffer.from(text), sizes, messagesStreamDecoder({ newId: () => 'made', isVerbatim: false }));

const text = (text: string, choice = 0): StreamEvent => ({ type: 'text-delta', choice, text });
const reasoning = (text: string): StreamEvent => ({ type: 'reasoning-delta', choice: 0, text });
const signature = (signature: string): StreamEvent => ({ type: 'reasoning-signature', choice: 0, signature });
const begin = (call: number): StreamEvent => ({ type: 'tool-call-start', choice: 0, call, id: `c${call}`, name: 'f' });
const args = (call: number, json: string): StreamEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  call,
  arguments: json,
});
const finish = (reason: FinishReason = 'stop', raw: string = reason, stopSequence?: string): StreamEvent => ({
  type: 'finish',
  choice: 0,
  reason,
  raw,
  stopSequence,
});
const usage: StreamEvent = { type: 'usage', usage: usageOf(3, 2) };
const ends = [finish(), usage];
const tool = (id: string, input: unknown) => ({ type: 'tool_use', id, name: 'f', input });
const contentOf = (events: readonly StreamEvent[]) => messageLife(encode([...events, ...ends])).message.content;

test('an answer is encoded as the events of one message', () => {
  expect(encode([text('a\n\n"b"'), text('c'), ...ends])).toBe(
    [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":0}}}',
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\\n\\n\\"b\\""}}',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"c"}}',
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":2}}',
      'event: message_stop\ndata: {"type":"message_stop"}',
      '',
    ].join('\n\n'),
  );
});

describe('blocks', () => {
  test('alternate without overlapping', () => {
    const signed = { type: 'thinking', thinking: 'hm', signature: 'sig' };
    const textBlock = (text: string) => ({ type: 'text', text });
    expect(
      contentOf([reasoning('h'), reasoning('m'), signature('sig'), text('a'), begin(0), args(0, '{}'), text('b')]),
    ).toEqual([signed, textBlock('a'), tool('c0', '{}'), textBlock('b')]);
    expect(contentOf([text('a'), reasoning('hm'), text('b')])).toEqual([
      textBlock('a'),
      { ...signed, signature: '' },
      textBlock('b'),
    ]);
  });

  test('of reasoning end at a signature, and a signature alone is a block of hidden reasoning', () => {
    expect(contentOf([reasoning('a'), signature('1'), reasoning('b'), signature('2'), signature('3')])).toEqual([
      { type: 'thinking', thinking: 'a', signature: '1' },
      { type: 'thinking', thinking: 'b', signature: '2' },
      { type: 'thinking', thinking: '', signature: '3' },
    ]);
  });

  test('of redacted reasoning are complete from the start', () => {
    expect(contentOf([{ type: 'redacted-reasoning', choice: 0, data: 'x==' }])).toEqual([
      { type: 'redacted_thinking', data: 'x==' },
    ]);
  });

  test('are not opened by empty text', () => {
    expect(contentOf([text(''), reasoning('')])).toEqual([]);
  });

  test('of calls with interleaved pieces come one after the other', () => {
    const mixed = [begin(0), begin(1), args(1, '{"b"'), args(0, '{"a":'), args(1, ':2}'), text('x'), args(0, '1}')];
    expect(contentOf(mixed)).toEqual([tool('c0', '{"a":1}'), tool('c1', '{"b":2}'), { type: 'text', text: 'x' }]);
  });

  test('of calls that never complete have all received arguments', () => {
    expect(contentOf([begin(0), args(0, '{"a'), begin(1), args(1, '{"b'), begin(2)])).toEqual([
      tool('c0', '{"a'),
      tool('c1', '{"b'),
      tool('c2', {}),
    ]);
  });

  test('of a call are written while it arrives, and the next one as soon as it is complete', () => {
    const encoder = new MessagesStreamEncoder(encoding);
    encoder.encode([begin(0)]);
    expect(encoder.encode([args(0, '{"}":"\\"}"')])).toContain('input_json_delta');
    expect(encoder.encode([begin(1)])).toBe('');
    expect(encoder.encode([args(0, '}')])).toMatch(/content_block_stop[^]*content_block_start/);
    expect(encoder.encode([args(1, '{')])).toContain('input_json_delta');
  });

  test('of choices other than the first are left out', () => {
    expect(contentOf([text('a'), text('b', 1)])).toEqual([{ type: 'text', text: 'a' }]);
  });

  test('after an incomplete call are queued only up to a limit', () => {
    const encoder = new MessagesStreamEncoder(encoding);
    encoder.encode([begin(0)]);
    const much = 'x'.repeat(1024 * 1024);
    const encoded = Array.from({ length: 9 }, () => encoder.encode([text(much)]));
    expect(encoded.join('').length).toBeGreaterThan(9 * much.length);
  });
});

test('an empty answer is encoded as a message without blocks', () => {
  const { message } = messageLife(encode(ends));
  expect(message).toMatchObject({ content: [], stop_reason: 'end_turn', usage: { input_tokens: 3, output_tokens: 2 } });
});

test.each<[string, readonly StreamEvent[], string, string | null]>([
  ['stop', [text('a'), finish('stop')], 'end_turn', null],
  ['stop at a stop sequence', [text('a'), finish('stop', 'stop', '\n')], 'stop_sequence', '\n'],
  ['stop after a call', [begin(0), args(0, '{}'), finish('stop')], 'tool_use', null],
  ['stop at a stop sequence after a call', [begin(0), args(0, '{}'), finish('stop', 'stop', '\n')], 'tool_use', null],
  ['calls', [begin(0), args(0, '{}'), finish('tool-calls', 'tool_calls')], 'tool_use', null],
  ['announced calls that did not come', [text('a'), finish('tool-calls', 'tool_calls')], 'end_turn', null],
  ['length', [text('a'), finish('length')], 'max_tokens', null],
  ['length inside a call', [begin(0), args(0, '{"a'), finish('length')], 'max_tokens', null],
  ['a content filter', [text('a'), finish('content-filter', 'content_filter')], 'refusal', null],
  ['a pause', [text('a'), finish('other', 'pause_turn')], 'pause_turn', null],
  ['an unknown reason', [text('a'), finish('other', 'bored')], 'end_turn', null],
])('the encoder writes the stop reason of an answer that ended with %s', (_, events, reason, sequence) => {
  const { message } = messageLife(encode([...events, usage]));
  expect(message).toMatchObject({ stop_reason: reason, stop_sequence: sequence });
});

describe('the usage a message starts with', () => {
  const started = (events: readonly StreamEvent[], promptTokens: number | undefined = 5) => {
    const [first = ''] = new MessagesStreamEncoder({ ...encoding, promptTokens }).encode(events).split('\n\n');
    return (JSON.parse(first.slice(first.indexOf('{'))) as { message: { usage: object } }).message.usage;
  };
  test('is the provider’s count, otherwise the estimated prompt, otherwise zero', () => {
    const begun = usageOf(100, 1, { cachedTokens: 60, cacheWrite1hTokens: 10 });
    expect(started([{ type: 'usage-so-far', usage: begun }, text('a')])).toMatchObject({
      input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 10 },
      output_tokens: 1,
    });
    expect(started([text('a')])).toMatchObject({ input_tokens: 5, output_tokens: 0 });
    const unknown = new MessagesStreamEncoder({ ...encoding, promptTokens: undefined }).encode([text('a')]);
    expect(unknown).toContain('"usage":{"input_tokens":0,');
  });
});

test('the encoder holds the end back, so that an answer that fails does not show it', () => {
  const encoder = new MessagesStreamEncoder(encoding);
  const shown = encoder.encode([text('a'), finish(), usage]);
  const error = encodeMessagesErrorFrame({ code: 'c', type: 'upstream_error', message: 'x\n\ny' }, 'req_1');
  expect(messageLife(shown + pingFrame + error)).toMatchObject({
    message: { stop_reason: null },
    pings: 1,
    error: { error: { type: 'upstream_error', code: 'c', message: 'x\n\ny' }, request_id: 'req_1' },
  });
});

test('the encoder throws for an answer without a finish or usage', () => {
  expect(() => encode([text('a'), usage])).toThrow('no finish');
  expect(() => encode([text('a'), finish()])).toThrow('no usage');
});

test('the encoder passes original frames on unchanged, without further frames', () => {
  const encoder = new MessagesStreamEncoder(encoding);
  const first = encoder.encode([{ type: 'verbatim', text: ': x\r\n\r\n' }, text('a'), { type: 'anomaly', what: 'x' }]);
  expect(first).toBe(': x\r\n\r\n');
  expect(encoder.encode([{ type: 'verbatim', text: 'y' }, ...ends])).toBe('y');
  expect(encoder.done()).toBe('');
});

test('an arbitrary answer is encoded as the events of one message', () => {
  fc.assert(
    fc.property(arbitraryEvents, (events) => {
      messageLife(encode(events));
    }),
    { numRuns: isDeep ? 250 : 50 },
  );
});

test('the encoder writes the same text for every division into batches', () => {
  fc.assert(
    fc.property(arbitraryEvents, (events) => {
      const encoder = new MessagesStreamEncoder(encoding);
      expect(events.map((event) => encoder.encode([event])).join('') + encoder.done()).toBe(encode(events));
    }),
    { numRuns: isDeep ? 200 : 40 },
  );
});

test('an encoded answer decodes to the same answer, for every division into pieces', () => {
  fc.assert(
    fc.property(arbitraryMessage, fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), (events, sizes) => {
      const again = decode(encode(events), sizes);
      const [expected, found] = [completeAnswer(events).choices[0], completeAnswer(again).choices[0]];
      expect(found?.content).toEqual(expected?.content);
    }),
    { numRuns: isDeep ? 150 : 30 },
  );
});

test('an answer that is encoded, decoded and encoded again has the same text', () => {
  fc.assert(
    fc.property(arbitraryEvents, (events) => {
      const once = encode(decode(encode(events)));
      expect(encode(decode(once))).toBe(once);
    }),
    { numRuns: isDeep ? 150 : 30 },
  );
});

test('the official client assembles the same message', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMessage, async (events) => {
      const body = encode(events);
      const client = new Anthropic({
        apiKey: 'k',
        maxRetries: 0,
        fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
      });
      const stream = client.messages.stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] });
      const message = await stream.finalMessage();
      const life = messageLife(body).message;
      const content = life.content.map((block) =>
        block['type'] === 'tool_use' ? { ...block, input: JSON.parse(String(block['input'])) as unknown } : block,
      );
      const plain = JSON.parse(JSON.stringify({ ...message, usage: undefined })) as unknown;
      expect(plain).toEqual({ ...life, content, usage: undefined, parsed_output: null });
      // This client takes all counts from the end, except the parts of the cache, which it keeps from the start.
      expect(message.usage).toEqual({ ...Object(life['usage']), cache_creation: message.usage.cache_creation });
    }),
    { numRuns: isDeep ? 40 : 20 },
  );
});

test.each(['\n', '\r\n'])(
  'the encoder ends the open block if an answer of original frames is cut off: %j',
  (lineEnd) => {
    const frames = [
      {
        type: 'message_start',
        message: { id: 'msg_2', type: 'message', role: 'assistant', model: 'theirs', content: [] },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one\u2028two\u2029' } },
    ].map((event) => `event: ${event.type}${lineEnd}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`);
    const encoder = new MessagesStreamEncoder(encoding);
    const encoded = encoder.encode(frames.map((text) => ({ type: 'verbatim', text })));
    encoder.encode([{ type: 'finish', choice: 0, reason: 'length', raw: 'length', breaksOff: true }, usage]);
    const last = encoder.done();
    expect(encoded).toContain('one\u2028two');
    expect(last).toMatch(
      /^event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\nevent: message_delta\n/,
    );
  },
);

describe('calls that never complete', () => {
  const large = 'x'.repeat(5 * 1024 * 1024);

  test('do not hold back the content after them beyond a limit', () => {
    const encoder = new MessagesStreamEncoder(encoding);
    const events = [
      begin(0),
      args(0, '{"a":'),
      begin(1),
      args(1, `{"b":"${large}`),
      args(1, `${large}"}`),
      text('Bye'),
    ];
    const frames = events.map((event) => encoder.encode([event])).join('');
    expect(frames).toContain('"partial_json":"{\\"b\\"');
    expect(frames).toContain('Bye');
  });

  test('fail the answer if they continue after that', () => {
    const encoder = new MessagesStreamEncoder(encoding);
    encoder.encode([begin(0), args(0, '{"a":'), text(large), text(large)]);
    expect(encoder.encode([args(0, ' \n')])).toBe('');
    expect(() => encoder.encode([args(0, '1}')])).toThrow(expect.objectContaining({ case: 'upstream-failed' }));
  });

  test('take linear time', () => {
    const encoder = new MessagesStreamEncoder(encoding);
    const count = 50_000;
    const calls = Array.from({ length: count }, (_, call) => [begin(call), args(call, '{')]).flat();
    const frames = encoder.encode(calls) + encoder.encode([finish(), usage]) + encoder.done();
    expect(frames.split('content_block_stop').length - 1).toBe(2 * count);
  });
});
