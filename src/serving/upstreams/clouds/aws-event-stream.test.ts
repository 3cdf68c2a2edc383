import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { awsChunk, awsException, awsFrame } from '../../../../test/clouds/aws-event-stream.ts';
import { awsEventStreamReader } from './aws-event-stream.ts';

function readIn(bytes: Buffer, cuts: readonly number[]): string {
  const reader = awsEventStreamReader();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((one, other) => one - other);
  let begin = 0;
  const texts = ends.map((end) => {
    const piece = Buffer.from(bytes.subarray(begin, end));
    begin = end;
    const text = reader.push(piece);
    // The socket reuses its buffer.
    piece.fill(0);
    return text;
  });
  return texts.join('') + reader.end();
}

const cuts = fc.array(fc.nat(), { maxLength: 40 });

describe('an AWS event stream', () => {
  test('becomes the same server-sent events, however its bytes are split', () => {
    const events = fc.array(
      fc.record({ type: fc.constantFrom('ping', 'content_block_delta'), text: fc.string({ unit: 'binary' }) }),
    );
    fc.assert(
      fc.property(events, cuts, (list, at) => {
        const expected = list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
        expect(readIn(Buffer.concat(list.map(awsChunk)), at)).toBe(expected);
      }),
    );
  });

  test('ends with an error if any of its bytes is changed, and with nothing after it', () => {
    const frames = [awsChunk({ type: 'ping' }), awsChunk({ type: 'message_stop' })];
    const intact = 'event: ping\ndata: {"type":"ping"}\n\n';
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), cuts, (place, change, at) => {
        const second = Buffer.from(frames[1]!);
        // A larger length only makes the reader wait for more.
        const index = 4 + (place % (second.length - 4));
        second[index]! ^= change;
        const text = readIn(Buffer.concat([frames[0]!, second, frames[0]!]), at);
        expect(text.startsWith(`${intact}event: error\n`)).toBe(true);
        expect(text.match(/^event: /gm)).toHaveLength(2);
      }),
    );
  });

  test('that breaks off within a frame has no event for it', () => {
    const frame = awsChunk({ type: 'ping' });
    expect(readIn(frame.subarray(0, -1), [])).toBe('');
  });

  test.each([
    ['throttlingException', 'rate_limit_error'],
    ['validationException', 'invalid_request_error'],
    ['serviceUnavailableException', 'overloaded_error'],
    ['modelStreamErrorException', 'api_error'],
  ])('has %s as an error event', (exception, type) => {
    const text = readIn(awsException(exception, { message: 'No.' }), []);
    expect(JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '')).toEqual({
      type: 'error',
      error: { type, message: `${exception}: No.` },
    });
  });

  test('keeps no event of a frame that reports about the service', () => {
    expect(readIn(awsFrame({ ':event-type': 'other', ':message-type': 'event' }, { some: 'thing' }), [])).toBe('');
  });
});
