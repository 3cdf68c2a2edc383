import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sseReader } from './sse.ts';

const read = (text: string, bufferMax = 1000): readonly string[] => {
  const reader = sseReader({ bufferMax });
  return [...reader.push(text), ...reader.end()];
};

test.each([
  ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
  ['no space after the colon', 'data:a\n\n', ['a']],
  ['two spaces after the colon', 'data:  a\n\n', [' a']],
  ['data of several lines', 'data: a\ndata: b\n\n', ['a\nb']],
  ['names, ids and retry', 'event: x\nid: 7\nretry: 5\ndata: a\n\n', ['a']],
  ['comments', ': PROCESSING\n\n: x\ndata: a\n\n:\n\n', ['a']],
  ['unknown fields and lines without a colon', 'foo: bar\nbaz\ndata: a\n\n', ['a']],
  ['an event without data', 'event: ping\n\ndata: a\n\n', ['a']],
  ['a missing blank line at the end', 'data: a\n\ndata: b\n', ['a', 'b']],
  ['a missing line end at the end', 'data: a\n\ndata: b', ['a', 'b']],
  ['nothing', '', []],
])('the reader parses a stream: %s', (_, text, data) => {
  expect(read(text)).toEqual(data);
});

test('the reader returns the same events for every division into pieces', () => {
  const line = fc.constantFrom('data: a', 'data:b', ': c', 'event: d', 'data', 'id: 1', 'junk', '');
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const stream = fc.tuple(fc.array(line), end).map(([lines, end]) => lines.join(end));
  fc.assert(
    fc.property(stream, fc.integer({ min: 1, max: 5 }), (text, size) => {
      const reader = sseReader({ bufferMax: 1000 });
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect([...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]).toEqual(read(text));
    }),
  );
});

const refused = expect.objectContaining({ case: 'upstream-failed' });

test('the reader accepts an event of the maximum length, whole or in pieces', () => {
  const data = 'x'.repeat(50);
  expect(read(`data: ${data}\n\n`, 50)).toEqual([data]);
  const reader = sseReader({ bufferMax: 50 });
  expect([...`data: ${data}\n\n`].flatMap((character) => reader.push(character))).toEqual([data]);
});

test('the reader rejects an event above the maximum length, whether it comes whole, in pieces or in many lines', () => {
  expect(() => read(`data: ${'x'.repeat(51)}\n\n`, 50)).toThrow(refused);
  expect(() => {
    const reader = sseReader({ bufferMax: 50 });
    for (let sent = 0; sent < 100; sent++) reader.push(sent === 0 ? 'data: ' : 'x');
  }).toThrow(refused);
  expect(() => {
    const reader = sseReader({ bufferMax: 50 });
    for (let sent = 0; sent < 100; sent++) reader.push('data: x\n');
  }).toThrow(refused);
});

test('the reader skips a line that is not data, whatever its length', () => {
  const reader = sseReader({ bufferMax: 50 });
  for (let sent = 0; sent < 100; sent++) reader.push('{"error":');
  expect(reader.push('\ndata: a\n\n')).toEqual(['a']);
});
