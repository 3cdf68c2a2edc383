import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../core/time/clock.ts';
import type { OutboxEvent } from '../../../core/outbox-event.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { sendWebhook, webhookBody } from './webhook.ts';

const event: OutboxEvent = { id: 'evt_1', kind: 'key.created', accountId: 'acc_1', at: 0, data: { name: 'käse' } };
const received: { headers: IncomingMessage['headers']; body: string }[] = [];
let port = 0;

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/ok': (response) => response.writeHead(204).end(),
  '/no': (response) => response.writeHead(500).end('secret words'),
  '/moved': (response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/ok` }).end(),
  '/huge': (response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  '/hang': () => {},
};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    received.push({ headers: request.headers, body });
    answers[request.url ?? '']?.(response);
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const send = (path: string, more: { allow?: readonly string[]; clock?: typeof systemClock } = {}) => {
  const { allow = ['127.0.0.1'], clock = systemClock } = more;
  const message = { url: `http://127.0.0.1:${port}${path}`, event, currency: 'USD', attempt: 2, allow };
  return sendWebhook({ ...message, secrets: ['new', 'old'] }, { clock });
};

test('a delivery carries its id and a signature by each secret', async () => {
  expect(await send('/ok')).toEqual({ status: 204 });
  const { headers, body } = received.at(-1)!;
  expect(body).toBe(webhookBody(event, 'USD'));
  expect(JSON.parse(body)).toEqual({
    id: 'evt_1',
    type: 'key.created',
    created_at: '1970-01-01T00:00:00.000Z',
    account_id: 'acc_1',
    currency: 'USD',
    data: { name: 'käse' },
  });
  expect(headers).toMatchObject({ 'idempotency-key': 'evt_1', 'x-gateway-event-id': 'evt_1' });
  expect(headers).toMatchObject({ 'x-gateway-delivery-attempt': '2', 'content-type': 'application/json' });
  const [time, ...proofs] = String(headers['x-gateway-signature']).split(',');
  const made = ['new', 'old'].map((secret) =>
    createHmac('sha256', secret)
      .update(`${time?.slice(2)}.${body}`)
      .digest('hex'),
  );
  expect(proofs).toEqual(made.map((proof) => `v1=${proof}`));
});

test('the function in the documentation accepts a delivery and rejects every change of it', async () => {
  const page = await readFile(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
  const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
  const { isFromGateway } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    isFromGateway: (body: string, header: string, secret: string, now?: number) => boolean;
  };
  await send('/ok');
  const { headers, body } = received.at(-1)!;
  const header = String(headers['x-gateway-signature']);
  for (const secret of ['new', 'old']) expect(isFromGateway(body, header, secret)).toBe(true);
  expect(isFromGateway(body, header, 'other')).toBe(false);
  expect(isFromGateway(`${body} `, header, 'new')).toBe(false);
  expect(isFromGateway(body, header, 'new', Date.now() + 400_000)).toBe(false);
});

test('any answer but 2xx is a failure; redirects are not followed, and an endless body does not block', async () => {
  const before = received.length;
  expect(await send('/no')).toEqual({ status: 500, fault: 'status' });
  expect(await send('/moved')).toEqual({ status: 302, fault: 'status' });
  expect(received).toHaveLength(before + 2);
  expect(await send('/huge')).toEqual({ status: 200 });
});

test('an endpoint that does not answer within 10 s counts as a timeout', async () => {
  const clock = manualClock();
  const before = received.length;
  const sent = send('/hang', { clock });
  await expect.poll(() => received.length, { message: 'the endpoint has the request' }).toBe(before + 1);
  clock.advance(10_000);
  expect(await sent).toEqual({ fault: 'timeout' });
});

test.each(['127.0.0.1', 'localhost', '[::1]', '2130706433', '169.254.169.254'])(
  'the sender does not connect to %s unless the operator allows it',
  async (host) => {
    const before = received.length;
    const message = { url: `http://${host}:${port}/ok`, event, currency: 'USD', secrets: ['s'], attempt: 1 };
    expect(await sendWebhook({ ...message, allow: [] }, { clock: systemClock })).toEqual({ fault: 'address-refused' });
    expect(received).toHaveLength(before);
  },
);

test('a name is resolved once for each delivery, and the sender connects to the checked address', async () => {
  // 127.0.0.1 stands for a public address, which a test cannot reach.
  const addresses = ['127.0.0.1', '127.0.0.2', '169.254.169.254', '127.0.0.1'];
  let lookups = 0;
  const lookup: LookupFunction = (_host, options, callback) => {
    const address = addresses[lookups++] ?? '127.0.0.2';
    if (options.all) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };
  const message = {
    url: `http://hooks.example:${port}/ok`,
    event,
    currency: 'USD',
    secrets: ['s'],
    attempt: 1,
  };
  const sent = () => sendWebhook({ ...message, allow: ['127.0.0.1'] }, { clock: systemClock, lookup });
  const before = received.length;
  expect(await sent()).toEqual({ status: 204 });
  expect(lookups).toBe(1);
  for (let times = 0; times < 2; times += 1) expect(await sent()).toEqual({ fault: 'address-refused' });
  expect(await sent()).toEqual({ status: 204 });
  expect([lookups, received.length]).toEqual([4, before + 2]);
});

test('a delivery without a secret is not sent, and a closed port is unreachable', async () => {
  const message = { event, currency: 'USD', attempt: 1, allow: undefined, url: `http://127.0.0.1:${port}/ok` };
  expect(await sendWebhook({ ...message, secrets: [] }, { clock: systemClock })).toEqual({ fault: 'no-secret' });
  const unreachable = { ...message, url: 'http://127.0.0.1:1/', secrets: ['s'] };
  expect(await sendWebhook(unreachable, { clock: systemClock })).toEqual({ fault: 'unreachable' });
});
