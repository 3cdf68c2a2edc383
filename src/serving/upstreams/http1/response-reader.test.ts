import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ResponseReader } from './response-reader.ts';

interface Reading {
  status: number | undefined;
  body: string;
  isDone: boolean;
  hasExcess: boolean;
  fault: string | undefined;
}

/**
 * Feeds the pieces, then closes, and returns the result. After a fault the body is left out, because it depends on the
 * pieces.
 */
function read(pieces: readonly Buffer[]): Reading {
  const reader = new ResponseReader();
  const body: Buffer[] = [];
  let fault: string | undefined;
  try {
    for (const piece of pieces) {
      reader.push(Buffer.from(piece));
      body.push(Buffer.from(reader.body));
    }
    reader.close();
  } catch (error) {
    fault = (error as Error).message;
  }
  const { isDone, hasExcess, head } = reader;
  return { status: head?.status, body: fault ? '' : Buffer.concat(body).toString('latin1'), isDone, hasExcess, fault };
}

function readWhole(text: string): Reading {
  return read([Buffer.from(text, 'latin1')]);
}

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const responses = {
  length: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello',
  'no body': 'HTTP/1.1 204 No Content\r\n\r\n',
  chunked: `${chunked}5\r\nhello\r\n6;name="a b"\r\n world\r\n0\r\n\r\n`,
  trailers: `${chunked}A \r\n0123456789\r\n000\r\nx-one: 1\r\nx-two: 2\r\n\r\n`,
  'until close': 'HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nall of it',
  interim:
    'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\nHTTP/1.1 100\r\n\r\nHTTP/1.1 404 Nope\r\ncontent-length: 1\r\n\r\n!',
  excess: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and more',
  'bad chunk': `${chunked}5\r\nhello!\r\n0\r\n\r\n`,
  'cut short': 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello',
};

describe('reading a response', () => {
  test('any split of the bytes gives the same result', () => {
    const whole = fc.constantFrom(...Object.values(responses));
    fc.assert(
      fc.property(whole, fc.array(fc.nat({ max: 120 }), { maxLength: 40 }), (text, cuts) => {
        const bytes = Buffer.from(text, 'latin1');
        const edges = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort(
          (a, b) => a - b,
        );
        const pieces = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
        expect(read(pieces)).toEqual(read([bytes]));
      }),
      { numRuns: 200 },
    );
  });

  test('every response gives the same result byte by byte', () => {
    for (const text of Object.values(responses)) {
      const bytes = Buffer.from(text, 'latin1');
      expect(read([...bytes].map((byte) => Buffer.of(byte)))).toEqual(read([bytes]));
    }
  });

  test('the reader finds the end of bodies by length, by chunks and by the end of the connection', () => {
    expect(readWhole(responses.length)).toMatchObject({ status: 200, body: 'hello', isDone: true, hasExcess: false });
    expect(readWhole(responses.chunked)).toMatchObject({ body: 'hello world', isDone: true, hasExcess: false });
    expect(readWhole(responses.trailers)).toMatchObject({ body: '0123456789', isDone: true, hasExcess: false });
    expect(readWhole(responses['until close'])).toMatchObject({ body: 'all of it', isDone: true });
    expect(readWhole(responses['no body'])).toMatchObject({ status: 204, body: '', isDone: true });
  });

  test('a response without a body is complete with its head', () => {
    const reader = new ResponseReader();
    reader.push(Buffer.from(responses['no body'], 'latin1'));
    expect(reader.isDone).toBe(true);
  });

  test('interim responses are skipped', () => {
    expect(readWhole(responses.interim)).toMatchObject({ status: 404, body: '!', isDone: true });
  });

  test('bytes after the end are detected', () => {
    expect(readWhole(responses.excess)).toMatchObject({ body: 'ok', hasExcess: true });
    expect(readWhole(`${responses.chunked}HTTP/1.1 200 OK\r\n`)).toMatchObject({
      body: 'hello world',
      hasExcess: true,
    });
  });

  test('several chunks of one read are one view', () => {
    const reader = new ResponseReader();
    reader.push(Buffer.from(responses.chunked, 'latin1'));
    expect(reader.body.toString()).toBe('hello world');
  });

  test('the connection is kept only if the end of the body is unambiguous', () => {
    const keepsAlive = (text: string): boolean | undefined => {
      const reader = new ResponseReader();
      reader.push(Buffer.from(text, 'latin1'));
      return reader.head?.keepsAlive;
    };
    expect(keepsAlive(responses.length)).toBe(true);
    expect(keepsAlive(responses['until close'])).toBe(false);
    expect(keepsAlive('HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 0\r\n\r\n')).toBe(false);
    expect(keepsAlive('HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n')).toBe(false);
  });
});

describe('an invalid response', () => {
  const malformed: Record<string, string> = {
    'another protocol': 'SSH-2.0-OpenSSH_9.2\r\n\r\n',
    'HTTP/2': 'HTTP/2 200\r\n\r\n',
    'a status that is no number': 'HTTP/1.1 2OO OK\r\n\r\n',
    'a folded header': 'HTTP/1.1 200 OK\r\na: b\r\n c\r\ncontent-length: 0\r\n\r\n',
    'a space before the colon': 'HTTP/1.1 200 OK\r\ncontent-length : 0\r\n\r\n',
    'a line without a colon': 'HTTP/1.1 200 OK\r\nhello\r\n\r\n',
    'a bare line feed in a header': 'HTTP/1.1 200 OK\r\na: b\nx: y\r\n\r\n',
    'a NUL in a header': 'HTTP/1.1 200 OK\r\na: b\0\r\n\r\n',
    'two lengths that differ': 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    'a negative length': 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
    'length and chunks': 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'a compressed transfer': 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    'a compressed body': 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\ncontent-length: 0\r\n\r\n',
    'switching protocols': 'HTTP/1.1 101 Switching\r\nupgrade: h2c\r\n\r\n',
    'a head without end': `HTTP/1.1 200 OK\r\na: ${'b'.repeat(70_000)}`,
    'a large head with an end': `HTTP/1.1 200 OK\r\na: ${'b'.repeat(70_000)}\r\n\r\n`,
    'a chunk size that is no number': `${chunked}xyz\r\n`,
    'an empty chunk size': `${chunked}\r\n\r\n`,
    'a huge chunk size': `${chunked}fffffffff\r\n`,
    'a chunk longer than its size': `${chunked}2\r\nabc\r\n0\r\n\r\n`,
    'a chunk that no line end follows': `${chunked}2\r\nabXX0\r\n\r\n`,
    'a chunk size whose line does not end': `${chunked}2\rXab\r\n0\r\n\r\n`,
    'a trailer whose line does not end': `${chunked}0\r\nx: y\rX\r\n`,
    'a body whose last line does not end': `${chunked}0\r\n\rX`,
    'a bare line feed in the chunk framing': `${chunked}2\nab\n0\n\n`,
    'an endless chunk extension': `${chunked}2;${'x'.repeat(5000)}`,
    'endless trailers': `${chunked}0\r\nx: ${'y'.repeat(70_000)}`,
  };

  test.each(Object.keys(malformed))('%s is a fault', (name) => {
    expect(readWhole(malformed[name]!).fault).toMatch(/^the response/);
  });

  test('two equal content lengths count as one', () => {
    expect(readWhole('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nContent-Length: 2\r\n\r\nok')).toMatchObject({
      body: 'ok',
    });
  });

  test('a connection that closes early is a fault', () => {
    for (const text of ['', 'HTTP/1.1 200', responses['cut short'], `${chunked}5\r\nhel`, `${chunked}5\r\nhello\r\n`]) {
      expect(readWhole(text).fault).toBe('the connection closed before the response was complete');
    }
  });
});
