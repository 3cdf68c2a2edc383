import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../chat/stream-event.ts';
import type { Usage } from '../../chat/usage.ts';
import { joined } from '../../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { decodedBytes } from '../../../../../test/fixtures/dialects/decoded-bytes.ts';
import { usageOf } from '../../../../../test/fixtures/dialects/usage.ts';
import { chatStreamDecoder } from './decode-stream.ts';

const text = (text: string): StreamEvent => ({ type: 'text-delta', choice: 0, text });
const reasoning = (text: string): StreamEvent => ({ type: 'reasoning-delta', choice: 0, text });
const call = (call: number, id: string, name: string, args: string): StreamEvent[] => [
  { type: 'tool-call-start', choice: 0, call, id, name },
  { type: 'tool-call-delta', choice: 0, call, arguments: args },
];
const finish = (reason: 'stop' | 'length' | 'tool-calls', raw: string = reason): StreamEvent => ({
  type: 'finish',
  choice: 0,
  reason,
  raw,
});
const usage = (prompt: number, completion: number, more: Partial<Usage> = {}): StreamEvent => ({
  type: 'usage',
  usage: usageOf(prompt, completion, more),
});

/** Handwritten streams in the style of each provider, and their events with adjacent deltas joined. */
const streams: Record<string, readonly StreamEvent[]> = {
  openai: [
    text('Hello "world"\n— ünï 😀'),
    finish('stop'),
    usage(19, 10, {
      cachedTokens: 0,
      reasoningTokens: 0,
      promptAudioTokens: 0,
      completionAudioTokens: 0,
      served: { serviceTier: 'default' },
    }),
  ],
  'openai-tools': [
    ...call(0, 'call_A1', 'weather', '{"city":"Oslo"}'),
    ...call(1, 'call_B2', 'clock', '{}'),
    finish('tool-calls', 'tool_calls'),
    usage(80, 34),
  ],
  deepseek: [
    reasoning('We count.'),
    text('Three.'),
    finish('stop'),
    usage(21, 42, { cachedTokens: 16, reasoningTokens: 38 }),
  ],
  ollama: [
    reasoning('Okay, so'),
    text('Hi there'),
    ...call(0, 'call_x9', 'clock', '{}'),
    ...call(1, 'call_y8', 'clock', '{"zone":1}'),
    finish('tool-calls', 'tool_calls'),
    usage(12, 30),
  ],
  vllm: [reasoning('2+2 is 4'), text('It is 4.'), finish('length'), usage(9, 11)],
  groq: [text('Fast reply'), finish('stop'), usage(41, 3)],
  openrouter: [
    reasoning('Thinking'),
    text('Yes!'),
    finish('stop'),
    usage(14, 9, { cachedTokens: 4, cacheWrite30mTokens: 2, reasoningTokens: 5 }),
  ],
  moonshot: [text('你好，朋友'), finish('stop'), usage(8, 4, { cachedTokens: 8 })],
  mistral: [
    reasoning('Look it up.'),
    text('One moment.'),
    ...call(0, 'D681PevKs', 'weather', '{"city": "Oslo"}'),
    finish('tool-calls', 'tool_calls'),
    usage(92, 30),
  ],
  'llama-cpp': [text('Quite "local".'), finish('stop')],
};

describe.each(Object.entries(streams))('the stream of %s', (name, expected) => {
  const bytes = readFileSync(
    new URL(`../../../../../test/fixtures/dialects/chat-completions/${name}.sse`, import.meta.url),
  );

  test('decodes to the expected events', () => {
    const { events, anomalies } = decode(bytes, bytes.length);
    expect(joined(events)).toEqual(joined(expected));
    expect(anomalies).toEqual([]);
  });

  test.each([1, 2, 3, 7, 64])('decodes the same in pieces of %i bytes', (size) => {
    expect(decode(bytes, size)).toEqual(decode(bytes, bytes.length));
  });
});

function decode(bytes: Buffer, size: number): { events: readonly StreamEvent[]; anomalies: readonly string[] } {
  const decoder = chatStreamDecoder({ newId: () => 'made' });
  return { events: decodedBytes(bytes, [size], decoder), anomalies: decoder.anomalies };
}
