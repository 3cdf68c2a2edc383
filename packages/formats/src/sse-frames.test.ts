import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sseFrames } from './sse.ts';

const read = (text: string, size = text.length || 1) => {
  const reader = sseFrames({ bufferMax: 1000 });
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  return { frames: pieces.flatMap((piece) => reader.push(piece)), rest: reader.end() };
};

test.each([
  ['LF', 'data: a\n\ndata: b\n\n', ['data: a\n\n', 'data: b\n\n'], ''],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['data: a\r\n\r\n', 'data: b\r\n\r\n'], ''],
  ['CR', 'data: a\r\rdata: b\r\rx', ['data: a\r\r', 'data: b\r\r'], 'x'],
  ['a CR that may be half of a CRLF', 'data: a\r\r', [], 'data: a\r\r'],
  ['mixed line ends', 'data: a\n\r\ndata: b\r\n\n', ['data: a\n\r\n', 'data: b\r\n\n'], ''],
  ['several lines', 'event: x\ndata: a\ndata: b\n\n', ['event: x\ndata: a\ndata: b\n\n'], ''],
  ['more blank lines than one', 'data: a\n\n\n\r\ndata: b\n\n', ['data: a\n\n', '\n', '\r\n', 'data: b\n\n'], ''],
  ['blank lines first', '\n\ndata: a\n\n', ['\n', '\n', 'data: a\n\n'], ''],
  ['an unfinished frame', 'data: a\n\ndata: b\n', ['data: a\n\n'], 'data: b\n'],
  ['nothing', '', [], ''],
])('the reader splits a stream into frames: %s', (_, text, frames, rest) => {
  expect(read(text)).toEqual({ frames, rest });
});

test('the reader returns the same frames for every division into pieces, and loses no text', () => {
  const line = fc.constantFrom('data: a', ': c', 'event: d', '', '', '\ufeff', '你');
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const text = fc.array(fc.tuple(line, end)).map((lines) => lines.flat().join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 5 }), (text, size) => {
      const whole = read(text);
      expect(read(text, size)).toEqual(whole);
      expect(whole.frames.join('') + whole.rest).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

const refused = expect.objectContaining({ case: 'upstream-failed' });

test('the reader accepts a frame of the maximum length and rejects a longer one, whole or in pieces', () => {
  const reader = () => sseFrames({ bufferMax: 50 });
  const frame = `data: ${'x'.repeat(42)}\n\n`;
  expect(reader().push(frame)).toEqual([frame]);
  expect(() => reader().push(`x${frame}`)).toThrow(refused);
  const slow = reader();
  expect(() => {
    for (const character of 'x'.repeat(51)) slow.push(character);
  }).toThrow(refused);
});
