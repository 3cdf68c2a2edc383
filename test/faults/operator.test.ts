import { sql } from 'kysely';
import { stringify } from 'yaml';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { accounts } from '../../src/money/accounts/accounts.ts';
import { balanceOf } from '../../src/money/billing/wallet/balance.ts';
import { credits } from '../../src/money/billing/ledger/credits.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { type Base, baseOf, expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, chunk, finish, gate, json, type ScriptedReply, sse, usage } from '../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { loadedConfig } from '../gateways/loaded-config.ts';

let gateway: TestGateway;
let file: Record<string, unknown>;
let base: Base;
beforeAll(async () => {
  gateway = await startTestGateway((config) => {
    file = { ...config, limits: { keep_alive_timeout: '200ms' } };
    return file;
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  base = baseOf(gateway.gateway);
});
afterEach(async () => {
  await gateway.gateway.apply(loadedConfig(stringify(file), gateway.directory));
  await expectAtRest(gateway.gateway, base);
});

const begun = chunk({ role: 'assistant', content: 'one' });

/** An answer that waits in the middle until the test calls `finish()`. */
async function running(id: string) {
  const { opened, open } = gate();
  gateway.provider.respond(id, sse([begun, opened, finish('stop'), usage(500, 1250), '[DONE]']));
  const request = chat({ ...gateway, model: id });
  await request.waitForText('one');
  return {
    finish: async () => {
      open();
      return request.over;
    },
  };
}

async function apply(change: Record<string, unknown>): Promise<void> {
  await gateway.gateway.apply(loadedConfig(stringify({ ...file, ...change }), gateway.directory));
}

async function costOf(id: string): Promise<number> {
  const rows = gateway.gateway.store.db.selectFrom('requests').select('cost').where('id', '=', id);
  await expect.poll(async () => (await rows.execute()).length, { message: `the record of request ${id}` }).toBe(1);
  return Number((await rows.executeTakeFirstOrThrow()).cost);
}

test.each([
  ['negative', { input: '-1', output: '2' }],
  ['missing', undefined],
  ['huge', { input: '99999999999999999999', output: '2' }],
  ['a number with a fraction instead of text', { input: 0.1, output: 2 }],
  ['half', { input: '1' }],
])('a file with a price that is %s is rejected completely, with its valid parts', async (_name, price) => {
  const before = await gateway.get('/v1/models');
  const models = [model('brand-new'), { id: 'other', routes: [{ upstream: 'fake' }], ...(price && { price }) }];
  await expect(apply({ models })).rejects.toThrow(/price/);
  const after = await gateway.get('/v1/models');
  expect(after.json.data).toEqual(before.json.data);
  expect(after.headers.get('x-gateway-version')).toBe(before.headers.get('x-gateway-version'));
});

test('a file whose accounts the store rejects changes nothing, not even the catalog in the store', async () => {
  const { store } = gateway.gateway;
  const state = async () => ({
    resources: await store.db.selectFrom('resources').selectAll().orderBy('name').execute(),
    settings: await store.db.selectFrom('settings').selectAll().orderBy('name').execute(),
    accounts: await store.db.selectFrom('accounts').select(['name', 'package']).orderBy('name').execute(),
    current: gateway.gateway.current(),
  });
  const before = await state();
  await sql`create trigger no_entry before insert on accounts when new.name = 'late' begin select raise(abort, 'no entry'); end`.execute(
    store.db,
  );
  const accounts = ['tester', 'early', 'late'].map((name) => ({ name, package: 'standard', credit: '1.00' }));
  await expect(apply({ models: [model('brand-new')], accounts, currency: 'EUR' })).rejects.toThrow(/no entry/);
  await sql`drop trigger no_entry`.execute(store.db);
  expect(await state()).toEqual(before);
  expect((await gateway.get('/v1/user/balance')).json.balance_infos[0].currency).toBe('USD');
});

test('an answer is charged at the price from its start, even if the price changes meanwhile', async () => {
  const answering = await running('other');
  await apply({ models: [model('plain'), model('thinker'), model('other', { price: { input: '50', output: '90' } })] });
  const outcome = await answering.finish();
  expect(outcome).toMatchObject({ status: 200, isDone: true });
  expect(await costOf(outcome.id)).toBe(500 * 1000 + 1250 * 2000);
  gateway.provider.respond('other', sse([begun, finish('stop'), usage(500, 1250), '[DONE]']));
  const next = await chat(gateway).over;
  expect(await costOf(next.id)).toBe(500 * 50_000 + 1250 * 90_000);
});

test('an answer completes although its model is deleted, and the model is no longer listed or served', async () => {
  const answering = await running('other');
  await apply({ models: [model('plain'), model('thinker')] });
  const refused = await chat(gateway).over;
  expect(refused).toMatchObject({ status: 403, error: { code: 'access_denied' } });
  const listed = (await gateway.get('/v1/models')).json.data.map(({ id }: { id: string }) => id);
  expect(listed).toEqual(['plain', 'thinker']);
  expect(await answering.finish()).toMatchObject({ status: 200, isDone: true });
});

test('an answer completes although its upstream is removed', async () => {
  const answering = await running('other');
  await apply({ upstreams: [{ name: 'fake', kind: 'simulated' }] });
  expect(await answering.finish()).toMatchObject({ status: 200, isDone: true });
});

test('requests that wait, or whose call is being refused, while the upstream’s key changes are served with the new key', async () => {
  const upstream = (apiKey: string) => ({
    upstreams: [{ name: 'fake', kind: 'openai', base_url: gateway.provider.url, api_key: apiKey, max_concurrency: 2 }],
  });
  await apply(upstream('sk-old'));
  const answering = await running('other');
  const { opened, open } = gate();
  const refused = json(401, { error: { message: 'no such key', code: 'invalid_api_key' } });
  let isFirst = true;
  const rejectOldKey: ScriptedReply = async (writer, call) => {
    if (isFirst) await ((isFirst = false), opened);
    await (call.headers['authorization'] === 'Bearer sk-old' ? refused : answer('hello'))(writer, call);
  };
  gateway.provider.respond('plain', rejectOldKey);
  const earlier = gateway.provider.calls.filter(({ key }) => key === 'plain').length;
  const refusing = chat({ ...gateway, model: 'plain' });
  await gateway.provider.call('plain', earlier).received;
  expect(gateway.gateway.alive().calls).toBe(2);
  const waiting = chat({ ...gateway, model: 'plain' });
  await expect.poll(() => gateway.gateway.alive().waiting, { message: 'requests that wait for a slot' }).toBe(1);
  await apply(upstream('sk-new'));
  expect(await answering.finish()).toMatchObject({ status: 200, isDone: true });
  expect(await waiting.over).toMatchObject({ status: 200, isDone: true });
  open();
  expect(await refusing.over).toMatchObject({ status: 200, isDone: true });
});

test('a request that waits at an upstream moves to another one of its model when the first is disabled', async () => {
  const settings = (enabled: boolean) => ({
    upstreams: [
      { name: 'fake', kind: 'openai', base_url: gateway.provider.url, max_concurrency: 1, enabled },
      { name: 'spare', kind: 'openai', base_url: gateway.provider.url },
    ],
    models: [
      model('other'),
      model('plain', {
        routes: [
          { upstream: 'fake', model: 'off' },
          { upstream: 'spare', model: 'spare', priority: 1 },
        ],
      }),
    ],
  });
  await apply(settings(true));
  gateway.provider.respond('off', answer('hello'));
  gateway.provider.respond('spare', answer('hello'));
  const answering = await running('other');
  const waiting = chat({ ...gateway, model: 'plain' });
  await expect.poll(() => gateway.gateway.alive().waiting, { message: 'requests that wait for a slot' }).toBe(1);
  const calls = gateway.provider.calls.length;
  await apply(settings(false));
  expect(await waiting.over).toMatchObject({ status: 200, isDone: true });
  expect(gateway.provider.calls.slice(calls).map(({ body }) => (body as { model: string }).model)).toEqual(['spare']);
  expect(await answering.finish()).toMatchObject({ status: 200, isDone: true });
});

test('an account that is suspended during an answer gets the rest of it, and no further answer', async () => {
  const answering = await running('other');
  const accountService = accounts(gateway.gateway.store, systemClock);
  const { id } = (await accountService.find('tester'))!;
  const status = async () => (await gateway.get('/v1/models')).status;
  await accountService.suspend(id);
  await expect.poll(status, { message: 'the status for the suspended account' }).toBe(401);
  expect(await answering.finish()).toMatchObject({ status: 200, isDone: true });
  await accountService.resume(id);
  await expect.poll(status, { message: 'the status for the resumed account' }).toBe(200);
});

test('a refund and an adjustment during an answer are booked once, and the answer is charged', async () => {
  const { store } = gateway.gateway;
  const { id } = (await accounts(store, systemClock).find('tester'))!;
  const worth = async () => {
    const { granted, toppedUp } = await balanceOf(store, id);
    return granted + toppedUp;
  };
  const before = await worth();
  const answering = await running('other');
  const order = { accountId: id, by: 'test', reason: 'a test' };
  const movements = credits(store, systemClock);
  const refund = { ...order, amount: 5_000_000n, reference: 'refund-1' };
  expect([await movements.refund(refund), await movements.refund(refund)]).toEqual([{ isNew: true }, { isNew: false }]);
  expect(await movements.adjust({ ...order, amount: -7_000_000n, reference: 'adjust-1' })).toEqual({ isNew: true });
  expect(await answering.finish()).toMatchObject({ status: 200, isDone: true });
  expect(await worth()).toBe(before + 5_000_000n - 7_000_000n - 3_000_000n);
});

test('a thousand concurrent requests with a new key are all served', async () => {
  gateway.provider.respond('other', answer('hello'));
  const key = await gateway.newKey();
  const chats = Array.from({ length: 1000 }, () => chat({ port: gateway.port, key }));
  for (const one of chats) expect(await one.over).toMatchObject({ status: 200, isDone: true });
});
