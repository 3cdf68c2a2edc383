import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerProcess } from '../../../src/money/billing/recovery/processes.ts';
import { histogramsOf } from '../../../src/money/requests/rollups/histograms.ts';
import { catchUp } from '../../../src/money/requests/rollups/rollup-worker.ts';
import { noSums } from '../../../src/money/requests/rollups/usage-sums.ts';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { expectEnvelope } from '../../expectations.ts';

let gateway: AdminGateway;
let owner: AdminGateway['owner'];
beforeAll(async () => {
  gateway = await startAdminGateway();
  ({ owner } = gateway);
});
afterAll(() => gateway.stop());

const request = (method: string, path: string, body?: unknown) =>
  gateway.send(method, path, { token: gateway.tokens.operator, body });
const notFound = { status: 404, code: 'not_found', type: 'gateway_error' };

test('the system shows its build, its processes and the entries of the file', async () => {
  await registerProcess(gateway.store, 'process-1');
  await registerProcess(gateway.store, 'process-2');
  await gateway.store.db.updateTable('processes').set({ heartbeat_at: 5 }).where('id', '=', 'process-2').execute();
  const system = await owner('GET', '/admin/v1/system');
  expect(system).toMatchObject({
    build: '20260101-000000',
    engine: 'sqlite',
    process: { id: 'process-1', uptime_s: 0 },
    config: { file: 'gateway.yaml', drift: [], problems: [] },
  });
  expect(system.config.owned).toContainEqual({ kind: 'upstream', name: 'filed' });
  const replicas = system.replicas as { id: string }[];
  expect(replicas.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toMatchObject([
    { id: 'process-1', is_alive: true, is_self: true },
    { id: 'process-2', is_alive: false, is_self: false },
  ]);
});

test('differences between the store and the file are shown as drift', async () => {
  const { db } = gateway.store;
  const rows = db.updateTable('resources').where('source', '=', 'file');
  await rows.set({ name: 'older' }).where('name', '=', 'none').execute();
  await rows.set({ spec: '{"name":"standard","models":[]}' }).where('name', '=', 'standard').execute();
  const { config } = await owner('GET', '/admin/v1/system');
  expect(config.drift).toEqual([
    { kind: 'package', name: 'standard', difference: 'different' },
    { kind: 'package', name: 'older', difference: 'only in the store' },
    { kind: 'package', name: 'none', difference: 'only in the file' },
  ]);
});

test('presets are listed with the settings they need', async () => {
  const { data } = await owner('GET', '/admin/v1/presets');
  const preset = (name: string) => data.find((each: { name: string }) => each.name === name);
  expect(preset('deepseek')).toMatchObject({ base_url: 'https://api.deepseek.com', environment: ['DEEPSEEK_API_KEY'] });
  expect(preset('bedrock').fields).toContain('region');
  expect(preset('bedrock').needs[0]).toContain('region: us-east-1');
});

test('an upstream is tested, and an unknown one gets a 404', async () => {
  expect((await request('POST', '/admin/v1/upstreams/filed/test')).json).toEqual({
    ok: true,
    asked: 'model_list',
    status: 200,
    duration_ms: 12,
    models: ['filed'],
    known: [],
    error: null,
  });
  expectEnvelope(await request('POST', '/admin/v1/upstreams/stranger/test'), notFound);
  await owner('POST', '/admin/v1/upstreams', { name: 'odd', kind: 'openai', base_url: 'https://o.example/v1' });
  expectRefused(await request('POST', '/admin/v1/upstreams/odd/test'), 'cannot be used as it is');
});

test('running and waiting requests are shown for each upstream and account, with names', async () => {
  const [ann, bob] = [gateway.ann.account.id, gateway.bob.account.id];
  const counts = { running: 2, waiting: 3, limit: 2 };
  gateway.queues.push(
    {
      name: 'filed',
      ...counts,
      resting: 0,
      pausedMs: 1500,
      fairness: 0.98,
      accounts: [
        { accountId: ann, running: 1, waiting: 0, weight: 3 },
        { accountId: bob, running: 1, waiting: 3, weight: 1, oldestWaitMs: 1200, turn: 1 },
      ],
    },
    {
      name: 'idle',
      running: 1,
      waiting: 0,
      limit: 4,
      resting: 0,
      pausedMs: 0,
      fairness: undefined,
      accounts: [{ accountId: ann, running: 1, waiting: 0, weight: 1 }],
    },
  );
  const credential = { index: 0, outUntil: undefined, pausedUntil: undefined, running: 0, failures: 0 };
  const unknown = { latencyMs: undefined, lastError: undefined, lastErrorAt: undefined };
  gateway.health.push({
    name: 'filed',
    ...counts,
    credentials: [
      { ...credential, ...unknown, state: 'disabled' },
      { ...credential, ...unknown, index: 1, state: 'ramping' },
    ],
  });
  const live = await owner('GET', '/admin/v1/live');
  expect(live).toMatchObject({
    at: '2026-03-01T00:00:00.000Z',
    process: { id: 'process-1' },
    totals: { running: 3, waiting: 3, retries_limit: 3 },
    upstreams: [
      {
        name: 'filed',
        state: 'ramping',
        limit: 2,
        cooldown_until: '2026-03-01T00:00:01.500Z',
        fairness: 0.98,
        accounts: [
          { id: bob, name: 'bob', running: 1, waiting: 3, fair_share: 0.25, oldest_wait_ms: 1200, turn: 1 },
          { id: ann, name: 'ann', running: 1, waiting: 0, fair_share: 0.75, oldest_wait_ms: null, turn: null },
        ],
      },
      { name: 'idle', state: 'healthy', cooldown_until: null, fairness: null },
    ],
    accounts: [
      { name: 'bob', running: 1, waiting: 3 },
      { name: 'ann', running: 2, waiting: 0 },
    ],
  });
  const { data } = await owner('GET', '/admin/v1/catalog/models');
  expect(data).toMatchObject([
    {
      id: 'filed-model',
      aliases: ['filed'],
      description: 'Answers anything — 什么都答',
      tool_calls: null,
      price: { input: '0.00', is_free: true },
      routes: [{ upstream: 'filed', model: 'filed-model', priority: 0, weight: 1, state: 'ramping', running: 2 }],
    },
  ]);
});

test('operators see the reliability of a model per constraint, accounts as one figure', async () => {
  const { ann, store } = gateway;
  const sums = { met: 6, repaired: 1, reprompted: 2, violated: 1 };
  const row = (constraint: 'json' | 'strict', day: number, more: object = {}) => ({
    model: 'filed-model',
    constraint_name: constraint,
    day,
    ...sums,
    ...more,
  });
  const day = Date.parse('2026-02-20T00:00:00Z');
  const rows = [row('json', day), row('json', day + 86_400_000), row('strict', day, { violated: 0 }), row('json', 0)];
  const models = async () => ({
    all: (await owner('GET', '/admin/v1/catalog/models')).data[0].constraints,
    own: (await gateway.send('GET', '/account/v1/models', { token: ann.token })).json.data[0].reliability,
  });
  expect(await models()).toEqual({ all: [], own: null });
  await store.db
    .insertInto('constraint_results')
    .values(row('json', day, { met: 8, violated: 0 }))
    .execute();
  expect((await models()).own).toBeNull();
  await store.db.deleteFrom('constraint_results').execute();
  await store.db.insertInto('constraint_results').values(rows).execute();
  expect(await models()).toEqual({
    all: [
      { constraint: 'json', seen: 20, met: 12, repaired: 2, reprompted: 4, violated: 2 },
      { constraint: 'strict', seen: 9, met: 6, repaired: 1, reprompted: 2, violated: 0 },
    ],
    own: 0.913,
  });
});

test('operators see a model’s performance with routes and counts; accounts see rounded figures of enough requests', async () => {
  const { ann, store } = gateway;
  const models = async () => ({
    all: (await owner('GET', '/admin/v1/catalog/models')).data[0],
    own: (await gateway.send('GET', '/account/v1/models', { token: ann.token })).json.data[0].performance,
  });
  await catchUp(store);
  for (const table of ['performance_sums', 'usage_rollups', 'usage_rollup_days'] as const) {
    await store.db.deleteFrom(table).execute();
  }
  const noSpeeds = { tokens_per_second_p50: null, tokens_per_second_p95: null };
  const unknown = { uptime: null, first_token_ms_p50: null, first_token_ms_p95: null, ...noSpeeds };
  const none = { ...unknown, answered: 0, failed: 0, timed: 0, paced: 0 };
  expect((await models()).own).toEqual({ day: unknown, week: unknown, month: unknown });
  expect((await models()).all.performance).toEqual({ day: none, week: none, month: none });
  const now = gateway.clock.at;
  const hour = { grain: 'hour', start: now - (now % 3_600_000), upstream: '', model: 'filed-model' } as const;
  // The times and speeds are in the rollups.
  const unread = { timed: 0, first_token_ms: 0, paced: 0, tokens: 0, generation_ms: 0 };
  const few = { ...unread, answered: 2, failed: 1 };
  const many = { ...unread, answered: 1999, failed: 1 };
  const day = { ...hour, grain: 'day', start: now - (now % 86_400_000) } as const;
  await store.db
    .insertInto('performance_sums')
    .values([
      { ...hour, ...few },
      { ...day, ...many },
      { ...hour, ...few, upstream: 'filed', failed: 0 },
    ])
    .execute();
  const fewTimes =
    histogramsOf({ first_token_ms: 1000, tokens_per_second: 50 }) + histogramsOf({ first_token_ms: 4000 });
  const manyTimes =
    histogramsOf({ first_token_ms: 460 }).repeat(10) + histogramsOf({ tokens_per_second: 50 }).repeat(9);
  const rollup = { ...noSums(), account_id: '', dimension: 'model', value: '=filed-model' };
  await store.db
    .insertInto('usage_rollups')
    .values([
      { ...rollup, hour: hour.start, histograms: fewTimes },
      { ...rollup, hour: hour.start, dimension: 'route', value: '=filed\nfiled-model', histograms: fewTimes },
    ])
    .execute();
  await store.db
    .insertInto('usage_rollup_days')
    .values([{ ...rollup, day: day.start, histograms: manyTimes }])
    .execute();
  const { all, own } = await models();
  const times = { first_token_ms_p50: 1002, first_token_ms_p95: 4187 };
  const speeds = { tokens_per_second_p50: 50.7, tokens_per_second_p95: 50.7 };
  const figures = { answered: 2, failed: 1, timed: 2, paced: 1, ...times, ...speeds };
  expect(all.performance.day).toEqual({ ...figures, uptime: 0.66667 });
  expect(all.routes[0].performance.day).toEqual({ ...figures, failed: 0, uptime: 1 });
  // An uptime with failures is never rounded up to 1. Few requests give no figure: they may be of one other account.
  expect(own.day).toEqual(unknown);
  expect(own.week).toEqual({ uptime: 0.999, first_token_ms_p50: 470, first_token_ms_p95: 470, ...noSpeeds });
});

test('an account sees the models and base URLs of the site of its request', async () => {
  const { ann } = gateway;
  const models = async (query = '') =>
    (await gateway.send('GET', `/account/v1/models${query}`, { token: ann.token })).json;
  const seen = await models();
  expect(seen).toMatchObject({
    site: 'main',
    base_urls: {
      openai: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      anthropic: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/anthropic$/),
    },
    data: [
      {
        id: 'filed-model',
        surfaces: ['anthropic', 'openai-response', 'openai'],
        thinking: false,
        context_window: null,
        description: 'Answers anything — 什么都答',
      },
    ],
  });
  expect(Object.keys(seen.data[0])).not.toContain('routes');
  const { store } = gateway;
  await store.db.updateTable('accounts').set({ package: 'none' }).where('id', '=', ann.account.id).execute();
  expect((await models('?domain=any.example')).data).toEqual([]);
});
