import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { messagesStreamDecoder } from './message-decoder.ts';

type Wire = object | string;

const frame = (event: Wire): string => {
  if (typeof event === 'string') return event;
  return `event: ${'type' in event ? String(event.type) : 'x'}\ndata: ${JSON.stringify(event)}\n\n`;
};
const decoder = (isVerbatim = false) => messagesStreamDecoder({ newId: () => 'made', isVerbatim });

/** All events of a stream, with one read for each frame. */
function decode(...frames: readonly Wire[]): readonly StreamEvent[] {
  const one = decoder();
  return [...frames.flatMap((event) => one.push(frame(event))), ...one.end()];
}

const start = { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } };
const ping = { type: 'ping' };
const blockStart = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block });
const delta = (delta: object, index = 0) => ({ type: 'content_block_delta', index, delta });
const textDelta = (text: string) => delta({ type: 'text_delta', text });
const blockStop = (index = 0) => ({ type: 'content_block_stop', index });
const end = (stop_reason: string | null, usage: object = { output_tokens: 2 }) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null },
  usage,
});
const stop = { type: 'message_stop' };
const textBlock = blockStart({ type: 'text', text: '' });
const begun = [start, textBlock, textDelta('a')];
const text = (text: string): StreamEvent => ({ type: 'text-delta', choice: 0, text });
const call = (call: number, id: string, name: string, args: string): StreamEvent[] => [
  { type: 'tool-call-start', choice: 0, call, id, name },
  { type: 'tool-call-delta', choice: 0, call, arguments: args },
];
const anomalies = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.type === 'anomaly' ? [event.what] : []));
const verbatim = (events: readonly StreamEvent[]) =>
  events.map((event) => (event.type === 'verbatim' ? event.text : '')).join('');
const failed = expect.objectContaining({ case: 'upstream-failed' });

describe('blocks', () => {
  test('may have all content in their start events', () => {
    const events = decode(
      start,
      blockStart({ type: 'thinking', thinking: 'hm', signature: 'sig' }),
      blockStop(),
      blockStart({ type: 'text', text: 'a' }, 1),
      blockStop(1),
      blockStart({ type: 'tool_use', id: 't', name: 'f', input: { a: [1, '2'] } }, 2),
      blockStop(2),
      end('tool_use'),
      stop,
    );
    expect(events.filter((event) => event.type !== 'usage' && event.type !== 'usage-so-far')).toEqual([
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'reasoning-signature', choice: 0, signature: 'sig' },
      text('a'),
      ...call(0, 't', 'f', '{"a":[1,"2"]}'),
      { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'tool_use' },
    ]);
  });

  test('keep all content if they never stop or are open at the same time', () => {
    const tool = (name: string, index: number) => blockStart({ type: 'tool_use', id: name, name, input: {} }, index);
    const input = (partial_json: string, index: number) => delta({ type: 'input_json_delta', partial_json }, index);
    const events = decode(tool('f', 0), tool('g', 1), input('{"g"', 1), input('{"f":1}', 0), input(':2}', 1), end('x'));
    expect(events.slice(0, 5)).toEqual([
      { type: 'tool-call-start', choice: 0, call: 0, id: 'f', name: 'f' },
      { type: 'tool-call-start', choice: 0, call: 1, id: 'g', name: 'g' },
      { type: 'tool-call-delta', choice: 0, call: 1, arguments: '{"g"' },
      { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{"f":1}' },
      { type: 'tool-call-delta', choice: 0, call: 1, arguments: ':2}' },
    ]);
  });

  test('keep all text if they have no start or continue after their end', () => {
    const events = decode(
      start,
      textDelta('a'),
      delta({ type: 'thinking_delta', thinking: 'hm' }, 1),
      delta({ type: 'text_delta', text: 'b' }, 2),
      blockStop(2),
      delta({ type: 'text_delta', text: 'c' }, 2),
      end('end_turn'),
      stop,
    );
    expect(events.filter(({ type }) => type.endsWith('-delta'))).toEqual([
      text('a'),
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      text('b'),
      text('c'),
    ]);
    expect(anomalies(events)).toEqual(['a delta without an open block']);
  });

  test('of unknown type are ignored', () => {
    const events = decode(
      start,
      delta({ type: 'input_json_delta', partial_json: '{}' }),
      delta({ type: 'signature_delta', signature: 's' }, 1),
      textBlock,
      textDelta('a'),
      end('end_turn'),
      stop,
    );
    expect(events.filter(({ type }) => type !== 'usage' && type !== 'usage-so-far' && type !== 'anomaly')).toEqual([
      text('a'),
      { type: 'finish', choice: 0, reason: 'stop', raw: 'end_turn' },
    ]);
    expect(anomalies(events)).toEqual(['arguments without a call']);
  });

  test('use the last signature, and ignore an empty one', () => {
    const sign = (signature: string) => delta({ type: 'signature_delta', signature });
    const block = blockStart({ type: 'thinking', thinking: '', signature: '' });
    const signatures = (...deltas: object[]) =>
      decode(start, block, ...deltas, blockStop(), end('end_turn')).filter(
        ({ type }) => type === 'reasoning-signature',
      );
    expect(signatures(sign('a'), sign('b'))).toEqual([{ type: 'reasoning-signature', choice: 0, signature: 'b' }]);
    expect(signatures(sign(''))).toEqual([]);
  });

  test('of calls get a missing id, and are dropped without a name', () => {
    const events = decode(
      start,
      blockStart({ type: 'tool_use', name: 'f' }),
      blockStop(),
      blockStart({ type: 'tool_use', id: 'x', input: {} }, 1),
      delta({ type: 'input_json_delta', partial_json: '{}' }, 1),
      end('tool_use'),
    );
    expect(events.filter(({ type }) => type.startsWith('tool'))).toEqual(call(0, 'toolu_made', 'f', '{}'));
    expect(anomalies(events)).toContain('tool call without a name');
  });

  test.each<[string, readonly object[]]>([
    ['a delta without a block and without text', [delta({ type: 'citations_delta', citation: {} })]],
    ['a stop without a block', [blockStop(7)]],
    ['an empty block', [{ type: 'content_block_start', index: 3 }, delta({}, 3)]],
    ['empty deltas', [{ type: 'content_block_delta', index: 0 }, { type: 'content_block_delta' }]],
    ['text that is not a string', [textDelta(5 as unknown as string)]],
  ])('give no events for: %s', (_, strange) => {
    const index9 = (text: string) => delta({ type: 'text_delta', text }, 9);
    const events = decode(
      start,
      blockStart({ type: 'text' }, 9),
      index9('a'),
      ...strange,
      index9('c'),
      end('end_turn'),
    );
    expect(events.filter(({ type }) => type === 'text-delta')).toEqual([text('a'), text('c')]);
  });
});

describe('an answer is complete', () => {
  test.each<[string, readonly Wire[]]>([
    ['with message_stop', [...begun, end('end_turn'), stop]],
    ['with message_stop and no stop reason', [...begun, stop]],
    ['with a stop reason and no message_stop', [...begun, end('end_turn')]],
    ['when the last frame lacks its blank line', [...begun, end('end_turn'), 'data: {"type":"message_stop"}']],
    ['when the last frame lacks half of it', [...begun, end('end_turn'), 'data: {"type":"message_stop"}\n']],
  ])('%s', (_, frames) => {
    expect(decode(...frames)).toContainEqual({ type: 'finish', choice: 0, reason: 'stop', raw: 'end_turn' });
  });

  test('at message_stop, and ignores later events', () => {
    const one = decoder();
    const events = one.push([...begun, end('end_turn'), stop, textDelta('b'), stop].map(frame).join(''));
    expect(one.isDone).toBe(true);
    expect(events.filter(({ type }) => type === 'text-delta')).toEqual([text('a')]);
    expect(one.push(frame(textDelta('c')))).toEqual([]);
    expect(one.end()).toEqual([]);
  });

  test('even if it is empty', () => {
    expect(decode(start, end('end_turn'), stop).map(({ type }) => type)).toEqual(['usage-so-far', 'finish', 'usage']);
  });

  test('without message_stop, and a client of the same format gets one', () => {
    const one = decoder(true);
    const frames = [...begun, end('end_turn')].map(frame).join('');
    const events = [...one.push(frames), ...one.end()];
    expect(verbatim(events)).toBe(`${frames}event: message_stop\ndata: {"type":"message_stop"}\n\n`);
    expect(anomalies(events)).toEqual(['no message_stop']);
  });

  test('with stop instead of tool-calls if tools were announced but not called', () => {
    const events = decode(...begun, end('tool_use'), stop);
    expect(events).toContainEqual({ type: 'finish', choice: 0, reason: 'stop', raw: 'tool_use' });
    expect(anomalies(events)).toEqual(['a tool call announced and not made']);
  });

  test('with an unknown stop reason', () => {
    const finish = (reason: string) => decode(start, end(reason)).find(({ type }) => type === 'finish');
    expect(finish('pause_turn')).toMatchObject({ reason: 'other', raw: 'pause_turn' });
    expect(finish('x'.repeat(100))).toMatchObject({ reason: 'other', raw: 'x'.repeat(64) });
  });
});

describe('an answer fails', () => {
  test.each<[string, readonly Wire[]]>([
    ['that ends in the middle', begun],
    ['that ends before it begins', [start]],
    ['without any frame', []],
    ['with only message_stop', [stop]],
    [
      'whose end is cut off',
      [...begun, 'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end'],
    ],
    ['with more than ten events that are not JSON objects', [...begun, ...Array<string>(11).fill('data: [1]\n\n')]],
    ['with HTML pages', [...Array<string>(11).fill('data: <html>\n\n')]],
  ])('%s', (_, frames) => {
    expect(() => decode(...frames)).toThrow(failed);
  });

  test.each<[string, string, number]>([
    ['overloaded_error', 'upstream-failed', 529],
    ['rate_limit_error', 'upstream-failed', 429],
    ['api_error', 'upstream-failed', 500],
    ['timeout_error', 'upstream-timeout', 504],
    ['authentication_error', 'upstream-failed', 401],
    ['permission_error', 'upstream-failed', 403],
    ['billing_error', 'upstream-failed', 402],
    ['invalid_request_error', 'upstream-rejected', 400],
    ['not_found_error', 'upstream-rejected', 404],
    ['request_too_large', 'upstream-rejected', 413],
    ['an_error_of_their_own', 'upstream-failed', 500],
  ])('with %s', (type, errorCase, status) => {
    const error = { type: 'error', error: { type, message: 'no' } };
    expect(() => decode(error)).toThrow(
      expect.objectContaining({
        case: errorCase,
        code: errorCase === 'upstream-rejected' ? type : undefined,
        cause: expect.objectContaining({ status, message: JSON.stringify(error) }),
      }),
    );
  });

  test.each<[string, string, string]>([
    ['without a type in the data', 'event: error\ndata: {"error":{"message":"x"}}\n\n', 'upstream-failed'],
    ['without its envelope', 'event: error\ndata: {"type":"overloaded_error"}\n\n', 'upstream-failed'],
    ['that is not JSON', 'event: error\ndata: Overloaded\n\n', 'upstream-failed'],
    ['without an event name', 'data: {"type":"error","error":{"type":"api_error"}}\n\n', 'upstream-failed'],
    ['of another format', 'data: {"error":{"code":"context_length_exceeded"}}\n\n', 'upstream-rejected'],
    ['of another format, with a status', 'data: {"error":{"code":429}}\n\n', 'upstream-failed'],
  ])('with an error %s', (_, error, errorCase) => {
    expect(() => decode(error)).toThrow(expect.objectContaining({ case: errorCase }));
  });

  test('after its stop reason, without showing it', () => {
    const one = decoder(true);
    const events = one.push([...begun, end('end_turn'), { type: 'error', error: {} }].map(frame).join(''));
    expect(verbatim(events)).toBe(begun.map(frame).join(''));
    expect(() => one.end()).toThrow(failed);
  });

  test('before its content, with only the prompt usage emitted, so that failover is possible', () => {
    for (const isVerbatim of [true, false]) {
      const one = decoder(isVerbatim);
      expect(one.push(frame(start)).map(({ type }) => type)).toEqual(['usage-so-far']);
      expect(one.push(frame(ping))).toEqual([]);
      expect(() => one.push(frame({ type: 'error', error: { type: 'overloaded_error' } }))).toThrow(failed);
    }
  });
});

test('the decoder skips up to ten events that are not JSON objects, and records an anomaly', () => {
  const events = decode(...begun, ...Array<string>(10).fill('data: nonsense\n\n'), 'data:\n\n', end('end_turn'), stop);
  expect(events.filter(({ type }) => type === 'text-delta')).toEqual([text('a')]);
  expect(anomalies(events)).toEqual(['an event that is not a JSON object']);
});

test('the decoder holds a partial frame back until it is complete', () => {
  const one = decoder(true);
  const whole = begun.map(frame).join('');
  const half = frame(textDelta('b')).slice(0, -1);
  expect(verbatim(one.push(whole + half))).toBe(whole);
  expect(one.push('\n')).toEqual([{ type: 'verbatim', text: `${half}\n` }, text('b')]);
});

test('a client of the same format gets only complete frames, including those that are not events', () => {
  const one = decoder(true);
  const whole = [...begun, end('end_turn'), stop].map(frame).join('');
  const cut = whole.slice(0, -frame(stop).length);
  const events = [...one.push(`${cut}: comment\n\n: half a com`), ...one.end()];
  expect(verbatim(events)).toBe(`${cut}: comment\n\n${frame(stop)}`);
});

test('the decoder ends an answer if too many frames come between its stop reason and message_stop', () => {
  const one = decoder(true);
  one.push([...begun, end('end_turn')].map(frame).join(''));
  const events = one.push(`: ${'x'.repeat(70_000)}\n\n`);
  expect(events.map(({ type }) => type)).toEqual(['verbatim', 'finish', 'usage', 'anomaly']);
  expect(one.isDone).toBe(true);
});

describe('the decoder counts a stream as alive', () => {
  test('after events, not after comments or partial events', () => {
    const one = decoder();
    const alive = (text: string) => {
      one.push(text);
      return one.isAlive;
    };
    expect(alive(frame(start))).toBe(true);
    expect(alive(': comment\n\n')).toBe(false);
    expect(alive('data: {"type":')).toBe(false);
    expect(alive('"ping"}\n\n')).toBe(true);
  });

  test('after at most 40 pings in a row', () => {
    const one = decoder();
    one.push(begun.map(frame).join(''));
    const alive = () => {
      one.push(frame(ping));
      return one.isAlive;
    };
    expect(Array.from({ length: 60 }, alive).filter(Boolean)).toHaveLength(40);
    one.push(frame(textDelta('b')));
    expect(alive()).toBe(true);
  });
});
