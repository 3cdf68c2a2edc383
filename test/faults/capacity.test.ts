import { afterEach, expect, test } from 'vitest';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { expectEnvelope } from '../expectations.ts';
import { answer, chunk, endings, gate, json, reset, sse } from '../fakes/fake-provider.ts';
import {
  type ConfigChange,
  joined,
  model,
  patientTimeouts,
  startTestGateway,
  type TestGateway,
} from '../gateways/gateway.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { jumpingClock } from '../clocks/jumping-clock.ts';

const time = jumpingClock();

const slowDown = (status: number, headers: Record<string, string> = {}) =>
  json(status, { error: { message: 'slow down' } }, { 'x-ratelimit-remaining': '0', ...headers });

/** While headers are held back, an error still gets its own status code. */
const longHeaderHold = { hold_headers: '5m' };
const shortMaxWait = { max_wait: '50s', hold_headers: '60s' };

let gateway: TestGateway;
async function start(waiting: object): Promise<void> {
  const config: ConfigChange = (base, provider) => {
    const upstream = (name: string, more: object = {}) => ({
      name,
      kind: 'openai',
      base_url: provider.url,
      timeouts: patientTimeouts,
      ...more,
    });
    return {
      ...base,
      waiting,
      upstreams: [
        upstream('one', { max_concurrency: 4 }),
        upstream('other'),
        upstream('small', { max_concurrency: 1 }),
      ],
      models: [
        model('single', { routes: [{ upstream: 'one' }] }),
        model('small', { routes: [{ upstream: 'small' }] }),
        model('double', {
          routes: [
            { upstream: 'one', model: 'first', priority: 0 },
            { upstream: 'other', model: 'second', priority: 1 },
          ],
        }),
      ],
    };
  };
  gateway = await startTestGateway(config, { clock: time });
}
afterEach(async () => {
  await expectAtRest(gateway.gateway);
  await gateway.stop();
});

const recordOf = (id: string) => findRequest(gateway.gateway.store, id);

test('a stream that only ever contains a rate-limit error ends the wait with `overloaded`', async () => {
  await start(shortMaxWait);
  gateway.provider.respond('single', sse([{ error: { message: 'slow down', code: 429 } }]));
  const reply = await replyAfterQueueTimeout();
  expectEnvelope(reply, { status: 503, code: 'overloaded', type: 'gateway_error' });
});

async function expectWaiting(): Promise<void> {
  await expect.poll(() => gateway.gateway.alive().waiting, { message: 'requests that wait for a slot' }).toBe(1);
}

/** The reply to a request whose provider has no capacity for longer than the longest allowed wait. */
async function replyAfterQueueTimeout() {
  const reply = gateway.chat({ model: 'single' });
  await expectWaiting();
  time.jump(51_000);
  return reply;
}

test.each([429, 503, 529])(
  'a provider that only ever answers with %i ends the wait with `overloaded`',
  async (status) => {
    await start(shortMaxWait);
    gateway.provider.respond('single', slowDown(status, { 'retry-after': '60' }));
    const reply = await replyAfterQueueTimeout();
    expectEnvelope(reply, { status: 503, code: 'overloaded', type: 'gateway_error' });
  },
);

test('all requests to a provider without capacity wait, and none gets an error', async () => {
  await start(longHeaderHold);
  gateway.provider.respond(
    'single',
    ...Array.from({ length: 6 }, () => slowDown(429, { 'retry-after': '0' })),
    answer('served'),
  );
  const replies = await Promise.all(Array.from({ length: 12 }, () => gateway.chat({ model: 'single' })));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  for (const reply of replies) expect(joined(reply)).toBe('served');
});

test('another provider with capacity answers at once', async () => {
  await start(longHeaderHold);
  gateway.provider.respond('first', slowDown(429, { 'retry-after': '60' }));
  gateway.provider.respond('second', answer('from the second'));
  for (let i = 0; i < 5; i += 1) expect(joined(await gateway.chat({ model: 'double' }))).toBe('from the second');
  // After three refusals in a row, the first upstream is in cooldown.
  const called = gateway.provider.calls.map(({ key }) => key);
  expect(called).toEqual(['first', 'second', 'first', 'second', 'first', 'second', 'second', 'second']);
});

test('the gateway retries after a connection breaks before the headers, and charges nothing for it', async () => {
  await start(longHeaderHold);
  gateway.provider.respond('single', reset(), reset(), answer('third time lucky'));
  const reply = await gateway.chat({ model: 'single' });
  expect(joined(reply)).toBe('third time lucky');
  gateway.provider.respond('single', reset());
  const failed = await gateway.chat({ model: 'single' });
  expectEnvelope(failed, { status: 502, code: 'upstream_failed', type: 'upstream_error' });
  const id = failed.headers.get('x-gateway-request-id')!;
  await expect.poll(() => recordOf(id), { message: 'the record' }).toMatchObject({ status: 502, cost: undefined });
});

test('under load, a provider that always fails gets at most 1.2 calls per request', async () => {
  await start(longHeaderHold);
  gateway.provider.respond('single', json(500, {}));
  const requestCount = 100;
  const replies = await Promise.all(Array.from({ length: requestCount }, () => gateway.chat({ model: 'single' })));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([502]));
  expect(gateway.provider.calls.length / requestCount).toBeLessThanOrEqual(1.2);
});

test.each([400, 404, 422])('a %i is not retried, hides the provider’s message and costs nothing', async (status) => {
  await start(longHeaderHold);
  gateway.provider.respond('first', json(status, { error: { message: 'secret words', code: 'bad_thing' } }));
  const reply = await gateway.chat({ model: 'double' });
  expectEnvelope(reply, { status: 400, code: 'bad_thing', type: 'upstream_error' });
  expect(reply.json.error.param).toBe('');
  expect(reply.text).not.toContain('secret words');
  expect(gateway.provider.calls).toHaveLength(1);
  const id = reply.headers.get('x-gateway-request-id')!;
  await expect.poll(() => recordOf(id), { message: 'the record' }).toMatchObject({ status: 400, cost: undefined });
});

test('the next request gets the slot when the answer before it breaks off', async () => {
  await start(longHeaderHold);
  const { opened, open } = gate();
  gateway.provider.respond('small', sse([chunk({ content: 'one' }), opened, endings.reset]), answer('next'));
  const first = chat({ ...gateway, model: 'small' });
  // A reset discards bytes that the gateway has not read. Without this line, the answer might not have begun.
  await first.waitForText('one');
  const second = gateway.chat({ model: 'small' });
  await expectWaiting();
  open();
  expect(await first.over).toMatchObject({ isDone: false, error: { code: 'upstream_failed' } });
  expect(joined(await second)).toBe('next');
});
