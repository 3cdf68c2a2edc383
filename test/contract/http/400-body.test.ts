import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { RawClient, rawExchange } from '../../raw-client.ts';
import { withAndWithoutAcceptor, envelopeCode, post, startHttpServer } from './http-server.ts';

/** A POST request with a body of any bytes. */
function postBytes(bytes: Uint8Array, headers = 'Content-Type: application/json\r\n'): Buffer {
  const head = `POST /echo HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

const types = {
  'no Content-Type': '',
  'text/plain': 'Content-Type: text/plain\r\n',
  'a form': 'Content-Type: application/x-www-form-urlencoded\r\n',
  multipart: 'Content-Type: multipart/form-data; boundary=x\r\n',
  'a type that only starts like JSON': 'Content-Type: application/jsonp\r\n',
  'a Content-Type that is none': 'Content-Type: ;;\r\n',
  'another charset': 'Content-Type: application/json;charset=gbk\r\n',
  'another charset in quotes': 'Content-Type: application/json; charset="utf-16"\r\n',
  'a Content-Encoding': 'Content-Type: application/json\r\nContent-Encoding: br\r\n',
};

withAndWithoutAcceptor(() => {
  test.each(Object.entries(types))('a body with %s is unparseable', async (_name, headers) => {
    const { port } = await startHttpServer();
    const response = await rawExchange(port, post('/echo', '{}', headers));
    expect(response.status).toBe(400);
    expect(envelopeCode(response)).toBe('unparseable-body');
  });

  test.each([
    'Content-Type: Application/JSON; charset=UTF-8\r\n',
    'content-type: application/json;charset="utf-8"\r\n',
    'Content-Type: application/json; profile=x\r\n',
    'Content-Type: application/json\r\nContent-Encoding: Identity\r\n',
  ])('a body is read with %j', async (headers) => {
    const { port } = await startHttpServer();
    expect((await rawExchange(port, post('/echo', '{"a":1}', headers))).status).toBe(200);
  });

  const texts = {
    nothing: '',
    whitespace: ' \n ',
    'an open brace': '{',
    'a trailing comma': '{"a":1,}',
    'single quotes': "{'a':1}",
    'a comment': '{"a":1} // one',
    NaN: '{"a":NaN}',
    Infinity: '[-Infinity]',
    'two values': '{}{}',
    'a raw line feed in a string': '"a\nb"',
    'a byte order mark': '\ufeff{}',
    'nesting of 65': `${'['.repeat(65)}${']'.repeat(65)}`,
    'five million brackets': '['.repeat(5_000_000),
    'a megabyte of empty objects': `[${'{},'.repeat(350_000)}{}]`,
    'a million names': `{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
  };

  test.each(Object.entries(texts))('a body of %s is unparseable', async (_name, text) => {
    const { port } = await startHttpServer();
    const response = await rawExchange(port, post('/echo', text));
    expect(response.status).toBe(400);
    expect(envelopeCode(response)).toBe('unparseable-body');
  });

  const bytes = {
    'a stray 0xff': Buffer.from([0x22, 0xff, 0x22]),
    'an overlong slash': Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
    'an encoded surrogate': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    'UTF-16': Buffer.from('{"a":1}', 'utf16le'),
    'UTF-16 with its mark': Buffer.from('\ufeff{"a":1}', 'utf16le'),
    gzip: gzipSync('{}'),
  };

  test.each(Object.entries(bytes))('a body with %s is unparseable', async (_name, body) => {
    const { port } = await startHttpServer();
    const response = await rawExchange(port, postBytes(body));
    expect(response.status).toBe(400);
    expect(envelopeCode(response)).toBe('unparseable-body');
  });

  test('a body with a number beyond a double is invalid', async () => {
    const { port } = await startHttpServer();
    for (const number of ['1e400', '-1E+309', '9'.repeat(400)]) {
      const response = await rawExchange(port, post('/echo', `{"a":${number}}`));
      expect(response.status).toBe(400);
      expect(envelopeCode(response)).toBe('invalid-request');
    }
  });

  test('a parse error names the position and does not repeat the text', async () => {
    const { port } = await startHttpServer();
    const response = await rawExchange(port, post('/echo', '{\n  "a": secret\n}'));
    expect(response.body).toContain('line 2, column 8');
    expect(response.body).not.toContain('secret');
  });

  test('the error names a byte order mark', async () => {
    const { port } = await startHttpServer();
    expect((await rawExchange(port, post('/echo', '\ufeff{}'))).body).toContain('byte order mark');
  });

  test('the connection stays open after a body that was read and rejected', async () => {
    const { port } = await startHttpServer();
    const client = await RawClient.connect(port);
    client.send(post('/echo', '{'));
    expect((await client.response()).headers.connection).toBe('keep-alive');
    client.send(post('/echo', '{}'));
    expect((await client.response()).status).toBe(200);
  });

  test('64 levels of nesting, prototype names and escapes are read unchanged', async () => {
    const { port } = await startHttpServer();
    const nested = `${'['.repeat(64)}${']'.repeat(64)}`;
    expect((await rawExchange(port, post('/echo', nested))).status).toBe(200);
    const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":"\\ud800\\u0000"}';
    const response = await rawExchange(port, post('/echo', hostile));
    expect(response.body).toContain('"__proto__":{"polluted":1}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('a body cut into single bytes is put together', async () => {
    const { port } = await startHttpServer();
    const text = JSON.stringify({ text: '早'.repeat(2000) });
    const chunks = [...Buffer.from(text)].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('');
    const head =
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const response = await rawExchange(port, `${head}${chunks}0\r\n\r\n`);
    expect(JSON.parse(response.body).value.text).toBe('早'.repeat(2000));
  });
});
