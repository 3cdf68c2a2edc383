import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FinishReason, StreamEvent } from '../../chat/stream-event.ts';
import type { Usage } from '../../chat/usage.ts';
import { joined } from '../../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { decodedStream } from '../../../../../test/fixtures/dialects/decoded-bytes.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { messagesStreamDecoder } from './message-decoder.ts';
import { MessagesStreamEncoder } from './encode-stream.ts';

const text = (text: string): StreamEvent => ({ type: 'text-delta', choice: 0, text });
const reasoning = (text: string): StreamEvent => ({ type: 'reasoning-delta', choice: 0, text });
const signature = (signature: string): StreamEvent => ({ type: 'reasoning-signature', choice: 0, signature });
const call = (call: number, id: string, name: string, args: string): StreamEvent[] => [
  { type: 'tool-call-start', choice: 0, call, id, name },
  { type: 'tool-call-delta', choice: 0, call, arguments: args },
];
const finish = (reason: FinishReason, raw: string, stopSequence?: string): StreamEvent => ({
  type: 'finish',
  choice: 0,
  reason,
  raw,
  ...(stopSequence !== undefined && { stopSequence }),
});
/** Providers of this format send all their cache counters, mostly 0, and their service tier. */
const uncached = {
  cachedTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  served: { serviceTier: 'standard' },
};
const soFar = (prompt: number, completion: number, more: Partial<Usage> = {}): StreamEvent => ({
  type: 'usage-so-far',
  usage: usageOf(prompt, completion, { ...uncached, ...more }),
});
const usage = (prompt: number, completion: number, more: Partial<Usage> = {}): StreamEvent => ({
  type: 'usage',
  usage: usageOf(prompt, completion, { ...uncached, ...more }),
});
const unsupported = (what: string): StreamEvent => ({
  type: 'anomaly',
  what: `${what.split(' ', 2).join(' ')} without an equal in other formats: ${what.split(' ')[2]}`,
});

const sigA = 'EqQBCkYICxgCKkDb5Q2m+K0/9cWn1xFQ7yJt3u8oP0aVQ==';
const sigB = 'ErUBCkYIDBgCIkAq8vZ1f0Yw2Rk9s7Xh3LJm5tB6eN4dUw==';
const cached = { cachedTokens: 1024, cacheWrite5mTokens: 100, cacheWrite1hTokens: 200 };
// This format counts cache reads and writes separately; core includes them in the input: 41 + 1024 + 300.
const thinking = [
  soFar(1365, 3, cached),
  reasoning('Let me count: three.'),
  signature(sigA),
  text('Three.'),
  finish('stop', 'end_turn'),
  usage(1365, 87, { ...cached, reasoningTokens: 61 }),
];

/** Streams in the style of the format's own provider, and their events with adjacent deltas joined. */
const streams: Record<string, readonly StreamEvent[]> = {
  plain: [soFar(25, 1), text('Hello! "Grüße"\n— 你好 😀'), finish('stop', 'end_turn'), usage(25, 15)],
  thinking,
  crlf: thinking,
  redacted: [
    soFar(12, 2),
    {
      type: 'redacted-reasoning',
      choice: 0,
      data: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP',
    },
    text('I cannot show how, but: 4.'),
    finish('stop', 'end_turn'),
    usage(12, 40),
  ],
  'one-tool': [
    soFar(472, 2),
    text("Okay, let's check the weather:"),
    ...call(0, 'toolu_01T1x1fJ34qAmk2tNTrN7Up6', 'get_weather', '{"location": "San Francisco, CA"}'),
    finish('tool-calls', 'tool_use'),
    usage(472, 89),
  ],
  'parallel-tools': [
    soFar(600, 4),
    ...call(0, 'toolu_A', 'get_weather', '{"city":"Oslo"}'),
    ...call(1, 'toolu_B', 'get_time', '{}'),
    ...call(2, 'toolu_C', 'get_weather', '{"city":"Lima","unit":"C"}'),
    finish('tool-calls', 'tool_use'),
    usage(600, 120),
  ],
  interleaved: [
    soFar(800, 2),
    reasoning('First the weather.'),
    signature(sigA),
    ...call(0, 'toolu_1', 'get_weather', '{}'),
    signature(sigB),
    text('And now the time.'),
    ...call(1, 'toolu_2', 'get_time', '{"zone": 1}'),
    finish('tool-calls', 'tool_use'),
    usage(800, 210),
  ],
  'server-tools': [
    soFar(2679, 3),
    text("I'll look it up.It is 19 °C"),
    finish('stop', 'end_turn'),
    usage(10_682, 510, { toolUses: { web_search: 1, web_fetch: 2 } }),
    unsupported('a block server_tool_use'),
    unsupported('a block web_search_tool_result'),
    unsupported('a delta citations_delta'),
  ],
  refusal: [soFar(30, 1), text('I'), finish('content-filter', 'refusal'), usage(30, 2)],
  'stop-sequence': [soFar(9, 1), text('one, two'), finish('stop', 'stop_sequence', ', three'), usage(9, 5)],
  pings: [soFar(7, 1), text('ab'), finish('length', 'max_tokens'), usage(7, 2)],
  unknown: [
    soFar(7, 1),
    text('ok'),
    finish('length', 'model_context_window_exceeded'),
    usage(7, 9),
    unsupported('an event telemetry'),
    unsupported('a block painting'),
    unsupported('an event surprise'),
  ],
};

const bytesOf = (name: string): Buffer =>
  readFileSync(new URL(`../../../../../test/fixtures/dialects/messages/${name}.sse`, import.meta.url));
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const decode = (bytes: Buffer, sizes: readonly number[], isVerbatim: boolean): readonly StreamEvent[] =>
  decodedStream(bytes, sizes, messagesStreamDecoder({ newId: () => 'made', isVerbatim }));
const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 });

describe.each(Object.entries(streams))('the stream %s', (name, expected) => {
  const bytes = bytesOf(name);
  const saidVerbatim = expected.filter((event) => event.type !== 'anomaly');

  test('decodes to the expected events', () => {
    expect(joined(decode(bytes, [bytes.length], false))).toEqual(joined(expected));
  });

  test('decodes the same for every division into pieces', () => {
    fc.assert(
      fc.property(sizes, (sizes) => {
        expect(joined(decode(bytes, sizes, false))).toEqual(joined(expected));
      }),
      { numRuns: 30, examples: [[[1]], [[2]], [[3]]] },
    );
  });

  test('reaches a client of the same format with only the model replaced, and is decoded too, in any pieces', () => {
    fc.assert(
      fc.property(sizes, (sizes) => {
        const events = decode(bytes, sizes, true);
        const encoder = new MessagesStreamEncoder({ id: 'msg_ours', model: 'ours', promptTokens: 1 });
        const renamed = bytes.toString().replace('claude-sonnet-4-5-20250929', 'ours');
        expect(sha256(encoder.encode(events) + encoder.done())).toBe(sha256(renamed));
        const understood = events.filter(({ type }) => type !== 'verbatim' && type !== 'own-block');
        expect(joined(understood)).toEqual(joined(saidVerbatim));
      }),
      { numRuns: 30, examples: [[[1]], [[2]], [[3]], [[bytes.length]]] },
    );
  });
});

test('one read gives one batch, with original frames before the events decoded from them', () => {
  const bytes = bytesOf('plain');
  const decoder = messagesStreamDecoder({ newId: () => 'made', isVerbatim: true });
  expect(decoder.push(bytes.toString()).map((event) => event.type)).toEqual([
    'usage-so-far',
    'verbatim',
    'text-delta',
    'verbatim',
    'text-delta',
    'verbatim',
    'finish',
    'usage',
  ]);
  expect(decoder.isDone).toBe(true);
  expect(decoder.end()).toEqual([]);
});

test('an error in the middle fails the answer after the content before it, in any pieces', () => {
  const bytes = bytesOf('error');
  const whole = bytes.toString();
  const before = whole.slice(0, whole.indexOf('event: error'));
  fc.assert(
    fc.property(sizes, fc.boolean(), (sizes, isVerbatim) => {
      const decoder = messagesStreamDecoder({ newId: () => 'made', isVerbatim });
      const events: StreamEvent[] = [];
      const read = () => {
        for (let at = 0, turn = 0; at < bytes.length && !decoder.isDone; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          events.push(...decoder.push(bytes.toString('utf8', at, at + size)));
          at += size;
        }
        decoder.end();
      };
      expect(read).toThrow(
        expect.objectContaining({ case: 'upstream-failed', cause: expect.objectContaining({ status: 529 }) }),
      );
      const passed = events.map((event) => (event.type === 'verbatim' ? event.text : '')).join('');
      expect(passed).toBe(isVerbatim ? before : '');
      expect(events).toContainEqual(text('Half of an ans'));
    }),
    {
      numRuns: 50,
      examples: [
        [[1], true],
        [[bytes.length], true],
      ],
    },
  );
});
