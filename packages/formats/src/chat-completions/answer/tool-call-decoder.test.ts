import { expect, test } from 'vitest';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { ToolCallDecoder } from './tool-call-decoder.ts';

interface Decoded {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Decodes a list of deltas into calls, and asserts that the calls are numbered in order. */
function calls(...deltas: readonly unknown[]): readonly Decoded[] {
  let made = 0;
  const decoder = new ToolCallDecoder(0, { newId: () => `made${++made}` });
  const events: StreamEvent[] = [];
  for (const delta of deltas) decoder.push(delta, events);
  decoder.end(events, 'stop');
  const decoded: Decoded[] = [];
  for (const event of events) {
    if (event.type === 'tool-call-start') {
      expect(event.call).toBe(decoded.length);
      decoded.push({ id: event.id, name: event.name, arguments: '' });
    } else if (event.type === 'tool-call-delta') {
      const call = decoded[event.call]!;
      decoded[event.call] = { ...call, arguments: call.arguments + event.arguments };
    }
  }
  return decoded;
}

const f = (name: string | undefined, args: unknown) => ({ function: { name, arguments: args } });
const one = { id: 'a', name: 'f', arguments: '{"x":1}' };
const two = { id: 'b', name: 'g', arguments: '{}' };

test('the decoder reads the usual deltas', () => {
  const first = { index: 0, id: 'a', type: 'function', ...f('f', '') };
  const pieces = ['{"x"', ':1}'].map((piece) => [{ index: 0, ...f(undefined, piece) }]);
  const second = [{ index: 1, id: 'b', type: 'function', ...f('g', '{}') }];
  expect(calls([first], ...pieces, second)).toEqual([one, two]);
});

test('a call keeps the signature that its provider requires back', () => {
  const extra_content = { google: { thought_signature: 's' } };
  const events: StreamEvent[] = [];
  const decoder = new ToolCallDecoder(0, { newId: () => 'made' });
  decoder.push([{ index: 0, id: 'a', ...f('f', '{}'), extra_content }], events);
  decoder.push([{ index: 1, id: 'b', ...f('g', '{}') }], events);
  expect(events.filter(({ type }) => type === 'tool-call-start')).toEqual([
    { type: 'tool-call-start', choice: 0, call: 0, id: 'a', name: 'f', signature: 's' },
    { type: 'tool-call-start', choice: 0, call: 1, id: 'b', name: 'g' },
  ]);
});

test('an empty object before the arguments is ignored', () => {
  const started = { index: 0, id: 'a', ...f('f', '{}') };
  expect(calls([started], [{ index: 0, ...f(undefined, '{"x"') }], [{ index: 0, ...f(undefined, ':1}') }])).toEqual([
    one,
  ]);
  expect(calls([started], [{ index: 0, ...f(undefined, '{}') }])).toEqual([{ ...one, arguments: '{}' }]);
  expect(calls([started])).toEqual([{ ...one, arguments: '{}' }]);
});

test('a call without arguments is complete when the next one starts', () => {
  const events: StreamEvent[] = [];
  const decoder = new ToolCallDecoder(0, { newId: () => 'made' });
  decoder.push([{ index: 0, id: 'a', ...f('f', '{}') }], events);
  decoder.push([{ index: 1, id: 'b', ...f('g', '') }], events);
  expect(events.map((event) => ('call' in event ? [event.type, event.call] : []))).toEqual([
    ['tool-call-start', 0],
    ['tool-call-delta', 0],
    ['tool-call-start', 1],
  ]);
});

test('the decoder accepts an index that starts at 1', () => {
  expect(calls([{ index: 1, id: 'a', ...f('f', '{"x":1}') }], [{ index: 2, id: 'b', ...f('g', '{}') }])).toEqual([
    one,
    two,
  ]);
});

test('the decoder separates alternating deltas of two calls', () => {
  const [a, b] = [{ index: 0 }, { index: 1 }];
  expect(
    calls(
      [
        { ...a, id: 'a', ...f('f', '') },
        { ...b, id: 'b', ...f('g', '') },
      ],
      [
        { ...a, ...f(undefined, '{"x"') },
        { ...b, ...f(undefined, '{') },
      ],
      [
        { ...b, ...f(undefined, '}') },
        { ...a, ...f(undefined, ':1}') },
      ],
    ),
  ).toEqual([one, two]);
});

test('the decoder accepts an id and name repeated on every delta', () => {
  const all = ['{"x"', ':1}'].map((piece) => [{ index: 0, id: 'a', ...f('f', piece) }]);
  expect(calls(...all, [{ index: 1, id: 'b', ...f('g', '{}') }])).toEqual([one, two]);
});

test('the decoder accepts a repeated id and name without an index', () => {
  const all = ['{"x"', ':1}'].map((piece) => [{ id: 'a', ...f('f', piece) }]);
  expect(calls(...all, [{ id: 'b', ...f('g', '{}') }])).toEqual([one, two]);
});

test('without an index, the last call continues until a new id or name', () => {
  const pieces = ['{"x"', ':1}'].map((piece) => [f(undefined, piece)]);
  expect(calls([{ id: 'a', ...f('f', '') }], ...pieces, [{ id: 'b', ...f('g', '{}') }])).toEqual([one, two]);
});

test('without index and id, names distinguish calls, and ids are generated', () => {
  expect(calls([f('f', '{"x"')], [f(undefined, ':1}')], [f('g', '{}')])).toEqual([
    { ...one, id: 'call_made1' },
    { ...two, id: 'call_made2' },
  ]);
});

test('the decoder separates complete calls of one function without index and id', () => {
  expect(calls([f('f', '{"x":1}')], [f('f', '{"x":2}')]).map((call) => call.arguments)).toEqual(['{"x":1}', '{"x":2}']);
  expect(calls([f('f', '{"x":1}'), f('f', '{"x":2}')]).map((call) => call.arguments)).toEqual(['{"x":1}', '{"x":2}']);
});

test('a repeated name without index and id continues the call if the arguments come in pieces', () => {
  expect(calls([f('f', '{"x"')], [f('f', ':1}')])).toEqual([{ ...one, id: 'call_made1' }]);
});

test('ids distinguish calls that all have index 0', () => {
  expect(calls([{ index: 0, id: 'a', ...f('f', '{"x":1}') }], [{ index: 0, id: 'b', ...f('g', '{}') }])).toEqual([
    one,
    two,
  ]);
});

test('the decoder accepts a new id on every delta of the same call', () => {
  const deltas = [
    { id: 'a', ...f('f', '{"x"') },
    { id: 'zz', ...f(undefined, ':1}') },
  ];
  expect(calls(...deltas.map((delta) => [{ index: 0, ...delta }]))).toEqual([one]);
  expect(calls(...deltas.map((delta) => [delta]))).toEqual([one]);
});

test('an id that comes after the name is ignored', () => {
  expect(calls([{ index: 0, ...f('f', '') }], [{ index: 0, id: 'late', ...f(undefined, '{}') }])).toEqual([
    { id: 'call_made1', name: 'f', arguments: '{}' },
  ]);
  expect(calls([f('f', '')], [{ id: 'late', ...f(undefined, '{}') }], [{ id: 'b', ...f('g', '{}') }])).toEqual([
    { id: 'call_made1', name: 'f', arguments: '{}' },
    two,
  ]);
});

test('a late id still distinguishes the next call of the same function', () => {
  const late = [f('f', '{"x"')];
  const pieces = [{ id: 'late', ...f(undefined, ':1}') }];
  expect(calls(late, pieces, [{ id: 'b', ...f('f', '{"x":2}') }]).map((call) => call.arguments)).toEqual([
    '{"x":1}',
    '{"x":2}',
  ]);
  expect(calls([f('f', '')], [{ id: 'late' }], [f(undefined, '{"x":1}')])).toEqual([{ ...one, id: 'call_made1' }]);
});

test('parallel calls in pieces, without index and id, are matched by position', () => {
  const started = [f('f', '{"x"'), f('f', '{"y"')];
  const pieces = [f(undefined, ':1}'), f(undefined, ':2}')];
  expect(calls(started, pieces).map((call) => call.arguments)).toEqual(['{"x":1}', '{"y":2}']);
});

test('the decoder accepts a name that comes after id and arguments', () => {
  expect(calls([{ index: 0, id: 'a', ...f('', '{"x"') }], [{ index: 0, ...f('f', ':1}') }])).toEqual([one]);
  expect(calls([{ id: 'a' }], [{ id: 'a', ...f('f', '{"x":1}') }])).toEqual([one]);
});

test('the decoder accepts arguments as an object, as null, or missing', () => {
  expect(calls([{ index: 0, id: 'a', ...f('f', { x: 1 }) }], [{ index: 1, id: 'b', ...f('g', null) }])).toEqual([
    one,
    two,
  ]);
  expect(calls([{ index: 0, id: 'b', function: { name: 'g' } }])).toEqual([two]);
});

test('the decoder accepts a name and arguments without a function object, and a single delta without a list', () => {
  expect(calls({ id: 'a', name: 'f', arguments: '{"x":1}' })).toEqual([one]);
});

test('a call without a name is dropped and counted', () => {
  const decoder = new ToolCallDecoder(0, { newId: () => 'x' });
  const events: StreamEvent[] = [];
  decoder.push(
    [
      { index: 0, id: 'a', ...f(undefined, '{}') },
      { index: 1, id: 'b', ...f('g', '{}') },
    ],
    events,
  );
  expect(decoder.end(events, 'stop')).toBe(1);
  expect(events.map((event) => event.type)).toEqual(['tool-call-start', 'tool-call-delta']);
});

test('the decoder ignores invalid deltas', () => {
  expect(calls(null, 5, 'x', [], [null, 3, 'y'], [[]])).toEqual([]);
});

test('the decoder removes leaked markup and an unknown namespace from a name', () => {
  const tools = [{ name: 'f', description: undefined, parameters: undefined }];
  for (const name of ['f', 'functions.f', 'f<|channel|>commentary']) {
    const events: StreamEvent[] = [];
    new ToolCallDecoder(0, { newId: () => 'x', tools }).push([{ index: 0, id: 'a', function: { name } }], events);
    expect(events).toEqual([{ type: 'tool-call-start', choice: 0, call: 0, id: 'a', name: 'f' }]);
  }
});

test('arguments are repaired if requested, but not for a truncated answer', () => {
  const read = (reason: 'stop' | 'length', ...pieces: readonly string[]) => {
    const events: StreamEvent[] = [];
    const decoder = new ToolCallDecoder(0, { newId: () => 'x', repair: true });
    decoder.push([{ index: 0, id: 'a', function: { name: 'f' } }], events);
    for (const piece of pieces) decoder.push([{ index: 0, function: { arguments: piece } }], events);
    decoder.end(events, reason);
    const json = events.map((event) => (event.type === 'tool-call-delta' ? event.arguments : '')).join('');
    return [json, events.some(({ type }) => type === 'anomaly')];
  };
  expect(read('stop', '{"a": 1,', '}')).toEqual(['{"a": 1}', true]);
  expect(read('stop', '{"a": [1')).toEqual(['{"a": [1]}', true]);
  expect(read('length', '{"a": [1')).toEqual(['{"a": [1', false]);
  expect(read('stop', '{"a": 1}')).toEqual(['{"a": 1}', false]);
});
