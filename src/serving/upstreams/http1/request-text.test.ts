import { expect, test } from 'vitest';
import { headerLines, requestTarget, requestText } from './request-text.ts';

const address = { host: 'api.example', target: '/v1/chat/completions' };

test('a request is one string whose length is counted in bytes', () => {
  expect(requestText('POST', address, headerLines({ authorization: 'Bearer k' }), '{"a":"é😀"}')).toBe(
    'POST /v1/chat/completions HTTP/1.1\r\nhost: api.example\r\naccept-encoding: identity\r\n' +
      'authorization: Bearer k\r\ncontent-length: 14\r\n\r\n{"a":"é😀"}',
  );
});

test('a request without a body has no content length', () => {
  expect(requestText('GET', address, headerLines({}), undefined)).toBe(
    'GET /v1/chat/completions HTTP/1.1\r\nhost: api.example\r\naccept-encoding: identity\r\n\r\n',
  );
});

test.each(['a\r\nx: y', 'a\nb', 'a\0b', 'schlüssel'])('the header value %j is refused', (value) => {
  expect(() => headerLines({ 'x-key': value })).toThrow(TypeError);
});

test.each(['', 'a b', 'a:b', 'a\r\n'])('the header name %j is refused', (name) => {
  expect(() => headerLines({ [name]: 'x' })).toThrow(TypeError);
});

test('headers that belong to the connection are left out', () => {
  const headers = {
    Host: 'a',
    'content-length': '1',
    'Transfer-Encoding': 'b',
    'accept-encoding': 'gzip',
    'x-mine': 'c',
  };
  expect(headerLines(headers)).toBe('x-mine: c\r\n');
});

test('an error about a header value does not repeat the value', () => {
  expect(() => headerLines({ authorization: 'Bearer secret\n' })).toThrow(/^(?!.*secret)/s);
});

test('a target keeps its path and query', () => {
  expect(requestTarget(new URL('https://api.example/v1/models?sub_type=chat#top'))).toBe('/v1/models?sub_type=chat');
  expect(requestTarget(new URL('https://api.example/a b\r\nc'))).toBe('/a%20bc');
});
