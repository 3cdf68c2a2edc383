import { expect, test } from 'vitest';
import { RawClient, rawExchange } from '../../raw-client.ts';
import { withAndWithoutAcceptor, envelopeCode, post, startHttpServer } from './http-server.ts';

const head = 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const limits = { bodyBytesMax: 1000 };

withAndWithoutAcceptor(() => {
  test('a body of the largest size is read', async () => {
    const { port } = await startHttpServer({ limits });
    const body = `"${'a'.repeat(998)}"`;
    const response = await rawExchange(port, post('/echo', body));
    expect(response.status).toBe(200);
    expect(JSON.parse(response.body).bytes).toBe(1000);
  });

  test('a Content-Length above the limit is rejected before the body is sent', async () => {
    const { port } = await startHttpServer({ limits });
    const response = await rawExchange(port, `${head}Content-Length: 1001\r\n\r\n`);
    expect(response.status).toBe(413);
    expect(envelopeCode(response)).toBe('body-too-large');
    expect(response.headers.connection).toBe('close');
  });

  test('a client that sends Expect: 100-continue gets a 413 for a body that is too large', async () => {
    const { port } = await startHttpServer({ limits });
    const response = await rawExchange(port, `${head}Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n`);
    expect(response.status).toBe(413);
  });

  test('a chunked body above the limit is rejected before its end', async () => {
    const { port } = await startHttpServer({ limits });
    const chunk = `400\r\n${' '.repeat(1024)}\r\n`;
    const response = await rawExchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`);
    expect(response.status).toBe(413);
    expect(envelopeCode(response)).toBe('body-too-large');
    expect(response.headers.connection).toBe('close');
  });

  test.each([
    ['Content-Length: 33554433', Buffer.alloc(33_554_433, ' ')],
    ['Transfer-Encoding: chunked', Buffer.concat([Buffer.from('2000001\r\n'), Buffer.alloc(0x2000001, ' ')])],
  ])('a client that sends all of a huge body before it reads still gets the reply (%s)', async (framing, body) => {
    const { port } = await startHttpServer();
    const client = await RawClient.connect(port);
    client.socket.pause();
    client.send(`${head}${framing}\r\n\r\n`);
    const sent = Promise.withResolvers<void>();
    client.socket.write(body, (error) => (error ? sent.reject(error) : sent.resolve()));
    await sent.promise;
    client.socket.resume();
    const response = await client.response();
    expect(response.status).toBe(413);
    expect(envelopeCode(response)).toBe('body-too-large');
    await client.rest();
    expect(client.error).toBeUndefined();
  });

  test('the connection of an endless body is closed some time after the reply', async () => {
    const { port } = await startHttpServer({ limits: { ...limits, headersTimeoutMs: 2000 } });
    const client = await RawClient.connect(port);
    const closed = new Promise<void>((resolve) => client.socket.once('close', () => resolve()));
    client.send(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = Buffer.from(`400\r\n${' '.repeat(1024)}\r\n`);
    const sendOn = (): void => {
      if (client.socket.writable) client.socket.write(chunk, () => setTimeout(sendOn, 5));
    };
    sendOn();
    expect((await client.response()).status).toBe(413);
    await closed;
    expect((client.error as NodeJS.ErrnoException).code).toMatch(/ECONNRESET|EPIPE/);
  });
});
