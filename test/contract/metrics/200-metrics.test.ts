import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createToken } from '../../../src/manage/admin/api/tokens.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { metricSpecs } from '../../../src/operate/telemetry/metrics/metric-names.ts';
import { answer, chunk, finish, json, reset, type ScriptedReply, sse, usage } from '../../fakes/fake-provider.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { loadedConfig } from '../../gateways/loaded-config.ts';
import { warmFastPath, watchedFastPath } from '../../fast-path/warm-fast-path.ts';
import { metricsIn, sumIn } from '../../metrics-text.ts';

const take = watchedFastPath();

let file: Record<string, unknown> = {};
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, { url }) => {
    const upstream = { kind: 'openai', base_url: url, timeouts: patientTimeouts };
    file = {
      ...base,
      listen: { host: '127.0.0.1', port: 0, health_port: 0 },
      upstreams: [
        { ...upstream, name: 'only' },
        { ...upstream, name: 'first' },
        { ...upstream, name: 'next' },
      ],
      models: [
        model('asked', { routes: [{ upstream: 'only' }] }),
        model('twice', {
          routes: [
            { upstream: 'first', model: 'flaky', priority: 1 },
            { upstream: 'next', model: 'steady', priority: 2 },
          ],
        }),
      ],
    };
    return file;
  });
  await warmFastPath(gateway, 'asked');
});
afterAll(() => gateway.stop());

async function scrape(): Promise<ReadonlyMap<string, number>> {
  await expect.poll(() => gateway.gateway.alive()).toMatchObject({ exchanges: 0, requests: 0, holds: 0 });
  const reply = await fetch(`http://127.0.0.1:${gateway.gateway.healthPort}/metrics`);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return metricsIn(await reply.text());
}

test('the last reload shows whether it succeeded, and when one last did', async () => {
  const at = async () => {
    const metrics = await scrape();
    const names = ['gateway_config_last_reload_successful', 'gateway_config_last_reload_success_timestamp_seconds'];
    return names.map((name) => metrics.get(name));
  };
  const [isSuccessful, startedAt = 0] = await at();
  expect([isSuccessful, startedAt > 0]).toEqual([1, true]);
  const state = { isSuccessful: false, succeededAt: startedAt * 1000 };
  gateway.gateway.reloaded({ state, refusal: { file: 'gateway.yaml', reason: 'It has one problem.', problems: [] } });
  expect(await at()).toEqual([0, startedAt]);
  gateway.gateway.reloaded({ state: { isSuccessful: true, succeededAt: 5000 } });
  expect(await at()).toEqual([1, 5]);
});

/** Sends a chat on a new connection. After an unusual request a connection never uses the fast path again. */
async function sendChat(path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  const sent = JSON.stringify({
    model: 'asked',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
    ...body,
  });
  const agent = new Agent({ keepAlive: true });
  const request = httpRequest({ port: gateway.port, path, method: 'POST', agent, headers }).end(sent);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await response.toArray().catch(() => undefined);
  agent.destroy();
}

/** The series that the requests on one path increased, without durations. */
async function increasedBy(
  path: string,
  traffic: readonly (readonly [ScriptedReply, string])[],
): Promise<Record<string, number>> {
  const before = await scrape();
  for (const [reply, name] of traffic) {
    gateway.provider.respond(name === 'twice' ? 'flaky' : name, reply);
    await sendChat(path, { model: name });
  }
  const after = await scrape();
  const change = (value: number, was = 0): number => Math.round((value - was) * 1e9) / 1e9;
  const changes = [...after].map(([series, value]) => [series, change(value, before.get(series))] as const);
  return Object.fromEntries(changes.filter(([series, by]) => by !== 0 && !isIgnored(series)));
}

/** Whether a series counts seconds or changes without requests. */
function isIgnored(series: string): boolean {
  return (
    /_seconds_(sum|bucket)/.test(series) ||
    /^(process_|nodejs_|gateway_store_|gateway_event_loop_|gateway_connections|gateway_journal|gateway_ledger_pending|gateway_chunk_)/.test(
      series,
    ) ||
    series.includes('surface="metrics"')
  );
}

test('the fast path and the slow path count the same', async () => {
  gateway.provider.respond('steady', answer('from the next one'));
  const traffic: readonly (readonly [ScriptedReply, string])[] = [
    [answer('What a day it is'), 'asked'],
    [sse([chunk({ content: 'one' }), chunk({ content: 'two' }), finish('length'), usage(7, 2), '[DONE]']), 'asked'],
    [json(400, { error: { message: 'no', code: 'bad' } }), 'asked'],
    [sse([chunk({ content: 'one' }), { raw: 'data: {"error":{"message":"gone"}}\n\n' }]), 'asked'],
    [reset(), 'twice'],
    [answer('again'), 'unknown-model'],
  ];
  take.mockClear();
  const onFastPath = await increasedBy('/v1/chat/completions', traffic);
  expect(take.mock.results.filter(({ value }) => value === true).length).toBeGreaterThanOrEqual(4);
  take.mockClear();
  // The query makes the request take the slow path, and changes nothing else.
  const onSlowPath = await increasedBy('/v1/chat/completions?', traffic);
  expect(take.mock.results.filter(({ value }) => value === true)).toEqual([]);
  expect(onFastPath).toEqual(onSlowPath);
  expect(onFastPath).toMatchObject({
    'gateway_requests_total{surface="chat_completions",model="asked",package="standard",status="2xx"}': 3,
    'gateway_requests_total{surface="chat_completions",package="standard",status="4xx"}': 1,
    'gateway_stream_ends_total{surface="chat_completions",outcome="broken_off"}': 1,
    'gateway_failovers_total{upstream="first",reason="failure"}': 1,
    'gateway_upstream_calls_total{upstream="only",outcome="refused"}': 1,
    'gateway_slots_granted_total{upstream="next",package="standard"}': 1,
  });
  expect(
    sumIn(new Map(Object.entries(onFastPath)), 'gen_ai_client_token_usage_sum', 'upstream="only"'),
  ).toBeGreaterThan(8);
});

test('no value that a client sends creates a series', async () => {
  const before = (await scrape()).size;
  const unusual = (index: number) => `odd-${index}-"}{x="`;
  for (let index = 0; index < 30; index += 1) {
    await gateway.chat({ model: unusual(index), user: unusual(index) });
    await gateway.get(`/v1/${encodeURIComponent(unusual(index))}`);
    await gateway.get('/v1/models', { authorization: `Bearer ${unusual(index)}`, [`x-odd-${index}`]: 'x' });
    await gateway.post(`/v1/responses/${index}`, {});
  }
  const after = await scrape();
  expect([...after.keys()].filter((series) => series.includes('odd'))).toEqual([]);
  // Only new status classes and error cases add series, independent of the number of requests.
  expect(after.size - before).toBeLessThan(12);
});

test('a removed model or upstream has no series any more', async () => {
  const models = [model('asked', { routes: [{ upstream: 'only' }] })];
  const upstreams = (file['upstreams'] as { name: string }[]).filter(({ name }) => name === 'only');
  expect(sumIn(await scrape(), 'gateway_slots_granted_total', 'upstream="next"')).toBeGreaterThan(0);
  await gateway.gateway.apply(loadedConfig(stringify({ ...file, models, upstreams }), gateway.directory));
  const series = [...(await scrape()).keys()];
  expect(series.filter((each) => /"(twice|first|next)"/.test(each))).toEqual([]);
  expect(series.some((each) => each.includes('model="asked"'))).toBe(true);
  await gateway.gateway.apply(loadedConfig(stringify(file), gateway.directory));
});

test('an answer whose provider reports more than the request can use is counted for its upstream', async () => {
  const counted = async () => (await scrape()).get('gateway_overstated_usage_total{upstream="only"}') ?? 0;
  const before = await counted();
  gateway.provider.respond('asked', sse([chunk({ content: 'yes' }), finish('stop'), usage(7, 10 ** 12), '[DONE]']));
  await sendChat('/v1/chat/completions', { max_tokens: 5 });
  expect(await counted()).toBe(before + 1);
});

test('the main port shows metrics to operators only', async () => {
  const { store, pepper } = gateway.gateway;
  expect((await gateway.get('/metrics')).status).toBe(401);
  expect((await gateway.get('/metrics', { authorization: '' })).status).toBe(401);
  const parts = { store, pepper, clock: systemClock };
  const { secret } = await createToken(parts, { name: 'prometheus', role: 'read-only', accountId: undefined });
  const reply = await gateway.get('/metrics', { authorization: `Bearer ${secret}` });
  expect(reply.status).toBe(200);
  expect(metricsIn(reply.text).get('gateway_ready')).toBe(1);
});

test('chunk delays are sampled on both paths', async () => {
  const sampled = async () => sumIn(await scrape(), 'gateway_chunk_delay_seconds_count');
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
  gateway.provider.respond('asked', answer(words));
  for (const path of ['/v1/chat/completions', '/v1/chat/completions?']) {
    const before = await sampled();
    for (let index = 0; index < 16; index += 1) await sendChat(path, {});
    expect(await sampled()).toBeGreaterThan(before);
  }
});

test('the build info names the version of the package, because all gateways of a store have the same catalog', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const builds = [...(await scrape()).keys()].filter((name) => name.startsWith('gateway_build_info'));
  expect(builds).toEqual([`gateway_build_info{version="${version}",node="${process.version}"}`]);
});

test('every exposed metric is in the table with its type', async () => {
  const reply = await fetch(`http://127.0.0.1:${gateway.gateway.healthPort}/metrics`);
  const text = await reply.text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
  const specs = Object.entries(metricSpecs).map(([name, { type }]) => [name, type]);
  expect(specs).toEqual(expect.arrayContaining(types));
  expect(types.length).toBeGreaterThan(40);
});
