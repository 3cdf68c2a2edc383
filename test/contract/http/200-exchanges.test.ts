import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { Exchange } from '../../../src/serving/http/exchange.ts';
import { RawClient, rawExchange } from '../../raw-client.ts';
import {
  withAndWithoutAcceptor,
  envelopeCode,
  expectStamped,
  get,
  heldRoute,
  post,
  startHttpServer,
} from './http-server.ts';

withAndWithoutAcceptor(() => {
  test('a reply has the version, a new request id and the CORS headers', async () => {
    const { port, next } = await startHttpServer();
    const client = await RawClient.connect(port);
    client.send(get('/v1/models', 'x-gateway-request-id: mine\r\nx-gateway-version: mine\r\n'));
    const first = await client.response();
    client.send(get('/v1/models'));
    const second = await client.response();
    expectStamped(first);
    expectStamped(second);
    expect(first.raw).not.toContain('mine');
    expect(first.headers['x-gateway-request-id']).not.toBe(second.headers['x-gateway-request-id']);
    expect(await next()).toMatchObject({
      id: first.headers['x-gateway-request-id'],
      method: 'GET',
      path: '/v1/models',
      status: 200,
      error: undefined,
      clientGone: false,
    });
  });

  test.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com:8080', 'example.com'],
    ['127.0.0.1:8080', '127.0.0.1'],
    ['[::1]:8080', '[::1]'],
  ])('Host %s names %s', async (sent, host) => {
    const { port } = await startHttpServer();
    const response = await rawExchange(port, `GET /v1/models HTTP/1.1\r\nHost: ${sent}\r\n\r\n`);
    expect(JSON.parse(response.body)).toEqual({ host });
  });

  test.each([
    ['a query', get('/v1/models?api_key=x&y=%zz')],
    ['an address whose host is Host', 'GET http://A/v1/models?x HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a body', `GET /v1/models HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello`],
    ['an upgrade to websocket', get('/v1/models', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')],
    ['an upgrade to HTTP/2', get('/v1/models', 'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n')],
    ['empty lines before it', `\r\n\r\n${get('/v1/models')}`],
    ['a version it would accept', get('/v1/models', 'Accept-Version: 2.x\r\n')],
    ['a forwarded host', get('/v1/models', 'X-Forwarded-Host: evil\r\nX-Forwarded-For: 1.2.3.4\r\n')],
  ])('a GET with %s gets the usual reply', async (_name, bytes) => {
    const { port } = await startHttpServer();
    const response = await rawExchange(port, bytes);
    expect(response.status).toBe(200);
    expect(response.body).toBe('{"host":"a"}');
    expectStamped(response);
  });

  test('HTTP/1.0 needs no Host and ends with the connection', async () => {
    const { port } = await startHttpServer();
    const client = await RawClient.connect(port);
    client.send('GET /v1/models HTTP/1.0\r\n\r\n');
    expect(await client.response()).toMatchObject({ status: 200, body: '{"host":""}' });
    expect(await client.rest()).toBe('');
  });

  test('HEAD has the headers of GET and no body', async () => {
    const { port } = await startHttpServer();
    const client = await RawClient.connect(port);
    client.send('HEAD /v1/models HTTP/1.1\r\nHost: a\r\n\r\n');
    const head = await client.response(true);
    expectStamped(head);
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe('12');
    client.send(get('/v1/models'));
    expect((await client.response()).body).toBe('{"host":"a"}');
  });

  test('requests sent at once are answered in their order, one at a time', async () => {
    const held = heldRoute();
    const second = vi.fn((exchange: Exchange) => exchange.json(200, 'second'));
    const { port, server } = await startHttpServer({
      routes: [held.route, { method: 'GET', path: '/second', handle: second }],
    });
    const client = await RawClient.connect(port);
    client.send(post('/held', '{}') + get('/second') + get('/v1/nope') + post('/echo', '"last"'));
    const exchange = await held.taken;
    await expect.poll(() => server.inFlight).toBe(4);
    expect(second).not.toHaveBeenCalled();
    exchange.json(200, 'first');
    const responses = [
      await client.response(),
      await client.response(),
      await client.response(),
      await client.response(),
    ];
    expect(responses.map((response) => response.status)).toEqual([200, 200, 404, 200]);
    expect(responses[0]!.body).toBe('"first"');
    expect(responses[1]!.body).toBe('"second"');
    expect(JSON.parse(responses[3]!.body).value).toBe('last');
    expect(new Set(responses.map((response) => response.headers['x-gateway-request-id'])).size).toBe(4);
    expect(responses[0]!.headers['x-gateway-request-id']).toBe(exchange.id);
  });

  test('a client that sends hundreds of requests ahead gets some answers and a closed connection', async () => {
    const { port, server, seen } = await startHttpServer();
    const client = await RawClient.connect(port);
    client.send(get('/v1/models').repeat(500));
    const text = await client.rest();
    const answered = text.split('HTTP/1.1 200 OK').length - 1;
    expect(answered).toBeGreaterThanOrEqual(64);
    expect(answered).toBeLessThan(500);
    expect(seen).toHaveLength(answered);
    expect(server.inFlight).toBe(0);
  });

  test('a repeated credential header is ignored', async () => {
    const { port } = await startHttpServer({
      routes: [
        {
          method: 'GET',
          path: '/headers',
          handle: (exchange) =>
            exchange.json(200, {
              bearer: exchange.header('Authorization') ?? null,
              key: exchange.header('x-api-key') ?? null,
              other: exchange.header('x-other') ?? null,
            }),
        },
      ],
    });
    const twice =
      'Authorization: a\r\nauthorization: b\r\nX-Api-Key: a\r\nx-api-key: a\r\nx-other: a\r\nx-other: b\r\n';
    expect(JSON.parse((await rawExchange(port, get('/headers', twice))).body)).toEqual({
      bearer: null,
      key: null,
      other: 'a, b',
    });
    const once = 'authorization: Bearer x\r\nX-API-KEY: y\r\n';
    expect(JSON.parse((await rawExchange(port, get('/headers', once))).body)).toEqual({
      bearer: 'Bearer x',
      key: 'y',
      other: null,
    });
  });

  test.each([
    ['a trusted proxy', true, 'https', true],
    ['a trusted proxy', true, 'HTTPS, http', true],
    ['a trusted proxy', true, 'http', false],
    ['another address', false, 'https', false],
  ])('%s (trusted: %s) with X-Forwarded-Proto %s: secure is %s', async (_label, isTrusted, sent, isSecure) => {
    const handle = (exchange: Exchange): void => exchange.json(200, exchange.isSecure);
    const { port } = await startHttpServer({
      routes: [{ method: 'POST', path: '/secure', handle }],
      isTrustedProxy: (address) => isTrusted && address === '127.0.0.1',
    });
    const response = await rawExchange(port, post('/secure', '{}', `X-Forwarded-Proto: ${sent}\r\n`));
    expect(response.body).toBe(String(isSecure));
  });

  test('a client that sends Expect: 100-continue gets 100 when the route reads the body', async () => {
    const { port } = await startHttpServer();
    const client = await RawClient.connect(port);
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n`;
    client.send(head('/echo'));
    expect((await client.response()).status).toBe(100);
    client.send('{}');
    expect((await client.response()).status).toBe(200);
    client.send(head('/locked'));
    const refusal = await client.response();
    expect(refusal.status).toBe(401);
    expectStamped(refusal);
    expect(await client.rest()).toBe('');
  });

  test('a rejection before the body is read ends the connection, and the client can read the reply', async () => {
    const { port } = await startHttpServer();
    const client = await RawClient.connect(port);
    client.send(post('/locked', ' '.repeat(300_000)));
    const refusal = await client.response();
    expect(refusal.status).toBe(401);
    expect(refusal.headers.connection).toBe('close');
    expect(await client.rest()).toBe('');
    expect(client.error).toBeUndefined();
  });

  test('further bytes of a rejected client are not parsed', async () => {
    const { port, server } = await startHttpServer();
    const parsed = vi.fn();
    server.node.on('request', parsed);
    const client = await RawClient.connect(port);
    const closed = once(client.socket, 'close');
    client.send('POST /locked HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n');
    expect((await client.response()).status).toBe(401);
    client.send(`hello${get('/v1/models').repeat(10)}`);
    client.finish();
    await closed;
    expect(parsed).toHaveBeenCalledTimes(1);
  });

  test('a route that replies twice sends its first reply only', async () => {
    const handle = (exchange: Exchange): void => {
      exchange.json(200, 'first');
      exchange.json(200, 'second');
    };
    const { port, next } = await startHttpServer({ routes: [{ method: 'POST', path: '/twice', handle }] });
    const client = await RawClient.connect(port);
    client.send(post('/twice', '{}'));
    expect((await client.response()).body).toBe('"first"');
    expect(await next()).toMatchObject({ status: 200, error: expect.any(Error) });
    client.finish();
    expect(await client.rest()).toBe('');
  });

  test('an error of a route becomes a 500 without its text', async () => {
    const routes = [
      {
        method: 'GET',
        path: '/throws',
        handle: () => {
          throw new Error('inside');
        },
      } as const,
      {
        method: 'GET',
        path: '/rejects',
        handle: async () => {
          throw new Error('inside');
        },
      } as const,
    ];
    const { port, next } = await startHttpServer({ routes });
    for (const path of ['/throws', '/rejects']) {
      const response = await rawExchange(port, get(path));
      expect(response.status).toBe(500);
      expect(envelopeCode(response)).toBe('other');
      expect(response.body).not.toContain('inside');
      expect(await next()).toMatchObject({ status: 500, error: new Error('inside') });
    }
  });
});
