import { expect, test } from 'vitest';
import { RequestReader } from './request-reader.ts';

const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n';

test('the reader returns a body when all its announced bytes have arrived', () => {
  const reader = new RequestReader();
  expect(reader.push(Buffer.from(`${head}Content-Length: 6\r\n\r\nabc`))).toBeUndefined();
  expect(reader.push(Buffer.from('def'))).toBe('abcdef');
});

test('the reader returns a chunked body when its last chunk has arrived', () => {
  const reader = new RequestReader();
  expect(reader.push(Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`))).toBeUndefined();
  expect(reader.push(Buffer.from('0\r\n\r\n'))).toContain('abc');
});

test('the next request on the connection starts clean', () => {
  const reader = new RequestReader();
  expect(reader.push(Buffer.from(`${head}content-length: 1\r\n\r\na`))).toBe('a');
  expect(reader.push(Buffer.from(`${head}content-length: 1\r\n\r\nb`))).toBe('b');
});
