import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { expectGatewayHeaders } from '../../expectations.ts';
import { chunk, finish, gate, sse, usage } from '../../fakes/fake-provider.ts';
import {
  type ConfigChange,
  model,
  patientTimeouts,
  startTestGateway,
  type TestGateway,
} from '../../gateways/gateway.ts';
import { loadedConfig } from '../../gateways/loaded-config.ts';
import { chat } from '../../chat-client.ts';
import { fakeSigns } from '../../fakes/fake-signs.ts';
import { RawClient, rawExchange } from '../../raw-client.ts';
import { get } from '../http/http-server.ts';

const signs = fakeSigns();
let file: Record<string, unknown> = {};
let gateway: TestGateway;
beforeAll(async () => {
  const change: ConfigChange = (base, { url }) => {
    const upstreams = [{ name: 'fake', kind: 'openai', base_url: url, timeouts: patientTimeouts, max_concurrency: 1 }];
    const listen = { host: '127.0.0.1', port: 0, health_port: 0 };
    file = { ...base, listen, upstreams, limits: { body_bytes_max: '64MiB' }, models: [model('other')] };
    return file;
  };
  gateway = await startTestGateway(change, { signs });
});
afterAll(() => gateway.stop());

const ready = { serving: 'ok', store: 'ok', ledger: 'ok', event_loop: 'ok', memory: 'ok', system: 'ok' };

test('both health endpoints answer without a key, with the usual headers', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const reply = await gateway.get(path, { authorization: 'Bearer nonsense' });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ status: 'ok' });
    expectGatewayHeaders(reply);
  }
  expect((await gateway.get('/readyz')).json.checks).toEqual(ready);
});

test('low memory or a blocked event loop makes /readyz report which check failed, and /healthz stays ok', async () => {
  const checks = async () => (await gateway.get('/readyz')).json.checks;
  signs.memory = 0.85;
  await expect.poll(checks).toMatchObject({ memory: expect.stringContaining('memory'), event_loop: 'ok' });
  const reply = await gateway.get('/readyz');
  expect(reply.status).toBe(503);
  expect(reply.json).toMatchObject({ status: 'not ready', error: { code: 'not_ready', type: 'gateway_error' } });
  expect(reply.json.error.message).toContain(`(request id: ${reply.headers.get('x-gateway-request-id')})`);
  expect((await gateway.get('/healthz')).status).toBe(200);
  signs.memory = 0.1;
  await expect.poll(checks).toEqual(ready);
  signs.blockMs = 2000;
  await expect.poll(checks).toMatchObject({ event_loop: 'The event loop was blocked for 2.0 s.' });
  signs.blockMs = 0;
  await expect.poll(checks).toEqual(ready);
});

test('a reload of `waiting.max_bytes` applies to requests that already wait', async () => {
  const { opened, open } = gate();
  const held = sse([chunk({ content: 'one' }), opened, finish('stop'), usage(1, 1), '[DONE]']);
  gateway.provider.respond('other', held);
  const running = chat(gateway);
  await running.started;
  // More than half of the smallest allowed limit.
  const waiting = chat({ ...gateway, body: { messages: [{ role: 'user', content: 'x'.repeat(33 * 1024 * 1024) }] } });
  await expect.poll(() => gateway.gateway.alive().waiting).toBe(1);
  const memory = async () => (await gateway.get('/readyz')).json.checks.memory;
  expect(await memory()).toBe('ok');
  const apply = (max_bytes: string) =>
    gateway.gateway.apply(loadedConfig(stringify({ ...file, waiting: { max_bytes } }), gateway.directory));
  await apply('64MiB');
  await expect.poll(memory).toContain('memory');
  await apply('1GiB');
  await expect.poll(memory).toBe('ok');
  waiting.leave();
  open();
  expect((await running.over).isDone).toBe(true);
});

// Must be last: it stops the gateway.
test('during a drain, open connections and the health port get a 503 from /readyz', async () => {
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([chunk({ content: 'one' }), opened, finish('stop'), usage(1, 1), '[DONE]']));
  const healthPort = gateway.gateway.healthPort!;
  expect((await rawExchange(healthPort, get('/readyz'))).status).toBe(200);
  expect((await rawExchange(healthPort, get('/v1/models'))).status).toBe(404);
  const running = chat(gateway);
  await running.started;
  const [probe, alive] = [await RawClient.connect(gateway.port), await RawClient.connect(gateway.port)];
  for (const client of [probe, alive]) {
    client.send(get('/readyz'));
    expect((await client.response()).status).toBe(200);
  }
  const stopped = gateway.gateway.stop({ graceMs: 60_000 });
  probe.send(get('/readyz'));
  const response = await probe.response();
  expect(response).toMatchObject({ status: 503, headers: { connection: 'close' } });
  expect(JSON.parse(response.body).checks).toMatchObject({ serving: 'This process is shutting down.', store: 'ok' });
  alive.send(get('/healthz'));
  expect((await alive.response()).status).toBe(200);
  await expect(rawExchange(gateway.port, get('/readyz'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect((await rawExchange(healthPort, get('/readyz'))).status).toBe(503);
  expect((await rawExchange(healthPort, get('/healthz'))).status).toBe(200);
  open();
  expect((await running.over).isDone).toBe(true);
  await stopped;
  await expect(rawExchange(healthPort, get('/healthz'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
