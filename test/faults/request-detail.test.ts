import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { chat } from '../chat-client.ts';
import { answer, chunk, endings, finish, gate, json, sse, usage } from '../fakes/fake-provider.ts';
import { type ConfigChange, model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { jumpingClock } from '../clocks/jumping-clock.ts';

const time = jumpingClock();

let gateway: TestGateway;
beforeAll(async () => {
  const config: ConfigChange = (base) => ({
    ...base,
    upstreams: ['first', 'second', 'narrow'].map((name) => ({
      ...(base['upstreams'] as object[])[0],
      name,
      ...(name === 'narrow' && { max_concurrency: 1 }),
    })),
    models: [
      model('two', {
        aliases: ['two-latest'],
        routes: [
          { upstream: 'first', model: 'there', priority: 0 },
          { upstream: 'second', model: 'here', priority: 1 },
        ],
        price: { input: '1', output: '2' },
      }),
      model('narrow', { routes: [{ upstream: 'narrow' }] }),
    ],
    sites: [
      { name: 'main', domains: ['127.0.0.1'], models: ['*'] },
      { name: 'whole', domains: ['localhost'], models: ['*'], honour_stream_false: true },
    ],
    // While headers are held back, an error still gets its own status code.
    waiting: { max_wait: '50s', hold_headers: '5m' },
  });
  gateway = await startTestGateway(config, { clock: time });
});
afterAll(() => gateway.stop());

const prompt = 'a prompt that must not be stored';
const messages = [{ role: 'user', content: prompt }];

async function detailOf(reply: { readonly headers: Headers }) {
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  const { store } = gateway.gateway;
  await expect
    .poll(async () => (await requestDetail(store, id))?.state, { message: `the detail of ${id}` })
    .toBe('recorded');
  const row = await store.db.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirst();
  expect(JSON.stringify(row)).not.toContain(prompt);
  expect(JSON.stringify(row)).not.toContain('sk-upstream-canary');
  return requestDetail(store, id);
}

test('a request that one upstream refused and another answered has both in its detail, and its cost adds up', async () => {
  gateway.provider.respond('there', json(503, { error: { message: `overloaded by: ${prompt} sk-upstream-canary` } }));
  gateway.provider.respond('here', answer('one two three'));
  const detail = await detailOf(await gateway.chat({ model: 'two-latest', messages }));
  expect(detail?.record).toMatchObject({ requestedModel: 'two-latest', model: 'two', status: 200, attemptCount: 2 });
  const [refused, answered] = detail?.record?.attempts ?? [];
  expect(refused).toMatchObject({ upstream: 'first', model: 'there', status: 503, reason: 'answered 503' });
  expect(answered).toMatchObject({ upstream: 'second', model: 'here', status: 200 });
  expect(answered?.errorCase).toBeUndefined();
  expect(refused?.endedMs).toBeLessThanOrEqual(answered?.beganMs ?? 0);
  expect(answered?.endedMs).toBeLessThanOrEqual(detail?.record?.durationMs ?? 0);
  const pico = detail?.costLines.reduce((sum, { tokens, perToken }) => sum + tokens * perToken, 0n);
  expect(detail?.ledger.map(({ amount }) => amount)).toEqual([-(detail?.cost ?? 0n)]);
  expect(detail?.cost).toBe((pico ?? 0n) / 1000n);
  expect(detail?.cost).toBe(13_000n);
});

test('the detail of a broken answer names the attempt and a reason without provider text', async () => {
  const error = { error: { message: prompt, code: 'exploded' } };
  // The first upstream may still be in cooldown after the refusal above.
  for (const name of ['there', 'here']) {
    gateway.provider.respond(name, sse([chunk({ role: 'assistant', content: 'one' }), error, endings.hang]));
  }
  const detail = await detailOf(await gateway.chat({ model: 'two', messages }));
  expect(detail?.record).toMatchObject({ status: 200, errorCase: 'upstream-failed' });
  expect(detail?.record?.attempts).toMatchObject([
    { status: 200, errorCase: 'upstream-failed', reason: 'The provider answered with an error' },
  ]);
});

test('a request that was sent to no provider has a detail without attempts', async () => {
  const detail = await detailOf(await gateway.chat({ model: 'nothing', messages }));
  expect(detail?.record).toMatchObject({ status: 403, errorCase: 'access-denied', attempts: [], model: undefined });
  expect([detail?.cost, detail?.ledger, detail?.costLines]).toEqual([undefined, [], []]);
});

test.each<[string, object, string]>([
  ['a field out of range', { temperature: 3 }, 'temperature must be'],
  ['a wrong message', { messages: [{ role: 'unknown', content: prompt }] }, 'messages[0].role must be'],
])(
  'the detail of a request rejected for %s contains the message that the client got',
  async (_name, body, sentence) => {
    const reply = await gateway.chat({ model: 'two', messages, ...body });
    const detail = await detailOf(reply);
    expect(detail?.record).toMatchObject({ status: 400, errorCase: 'invalid-request' });
    expect(detail?.record?.errorDetail).toContain(sentence);
    expect(reply.json.error.message).toContain(detail?.record?.errorDetail);
  },
);

test('the detail of a request with invalid JSON has the position of the error', async () => {
  const detail = await detailOf(await gateway.postText('/v1/chat/completions', '{"model": "two",}'));
  expect(detail?.record).toMatchObject({ status: 400, errorCase: 'unparseable-body', errorDetail: expect.any(String) });
});

test('the detail shows whether a request that did not ask for a stream got one anyway', async () => {
  gateway.provider.respond('here', answer('one'));
  gateway.provider.respond('there', answer('one'));
  const recordFor = async (body: object, more: Partial<{ path: string; host: string }> = {}) => {
    const response = await fetch(
      `http://${more.host ?? '127.0.0.1'}:${gateway.port}${more.path ?? '/v1/chat/completions'}`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.key}`,
          'x-api-key': gateway.key,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ model: 'two', messages, ...body }),
      },
    );
    await response.text();
    return (await detailOf(response))?.record;
  };
  const messagesPath = { path: '/anthropic/v1/messages' };
  expect(await recordFor({ stream: true })).toMatchObject({ requestedWhole: false, unwantedStream: false });
  expect(await recordFor({ stream: false })).toMatchObject({ requestedWhole: true, unwantedStream: true });
  expect(await recordFor({})).toMatchObject({ requestedWhole: true, unwantedStream: true });
  expect(await recordFor({ stream: false }, { host: 'localhost' })).toMatchObject({
    requestedWhole: true,
    unwantedStream: false,
  });
  expect(await recordFor({ max_tokens: 9 }, messagesPath)).toMatchObject({
    requestedWhole: true,
    unwantedStream: false,
  });
  expect(await recordFor({ stream: false, model: 'nothing' })).toMatchObject({
    requestedWhole: true,
    unwantedStream: false,
  });
  expect(await recordFor({ temperature: 3 })).toMatchObject({ requestedWhole: undefined, unwantedStream: undefined });
});

test('the record of a request that left the queue has its wait time and queue position', async () => {
  const { opened, open } = gate();
  gateway.provider.respond('narrow', sse([chunk({ content: 'one' }), opened, finish('stop'), usage(1, 1), '[DONE]']));
  const running = chat({ ...gateway, model: 'narrow' });
  await running.waitForText('one');
  const waiting = () => gateway.gateway.alive().waiting;
  const leaving = chat({ ...gateway, model: 'narrow' });
  await expect.poll(waiting, { message: 'requests that wait' }).toBe(1);
  const late = chat({ ...gateway, model: 'narrow' });
  await expect.poll(waiting, { message: 'requests that wait' }).toBe(2);
  time.jump(10);
  leaving.leave();
  await expect.poll(waiting, { message: 'requests that wait' }).toBe(1);
  time.jump(50_000);
  expect(await late.over).toMatchObject({ status: 503, error: { code: 'overloaded' } });
  open();
  expect(await running.over).toMatchObject({ isDone: true });
  const { store } = gateway.gateway;
  const rows = store.db
    .selectFrom('requests')
    .select(['status', 'error_case', 'queue_position', 'wait_ms', 'attempts'])
    .where('model', '=', 'narrow')
    .orderBy('started_at')
    .orderBy('id');
  await expect.poll(async () => (await rows.execute()).length, { message: 'records' }).toBe(3);
  const [served, gone, refused] = await rows.execute();
  expect(served).toMatchObject({ status: 200, queue_position: 0, attempts: 1 });
  expect(gone).toMatchObject({ status: 499, queue_position: 0, attempts: 0 });
  expect(gone?.wait_ms).toBeGreaterThanOrEqual(10);
  expect(refused).toMatchObject({ status: 503, error_case: 'overloaded', queue_position: 1, attempts: 0 });
  expect(refused?.wait_ms).toBeGreaterThanOrEqual(50_000);
});
