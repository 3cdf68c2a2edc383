import { beforeEach, expect, test } from 'vitest';
import { answer, type FakeProvider, fakeProvider, json } from '../../../../test/fakes/fake-provider.ts';
import { type UpstreamSpec, upstreamSchema, upstreamSpec } from '../../../platform/config/schema/upstream.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { probeUpstream } from './probe.ts';

let provider: FakeProvider;
beforeEach(async () => {
  provider = await fakeProvider();
  return () => provider.close();
});

const secret = 'sk-probe-canary-0123456789';

function spec(more: Record<string, unknown> = {}): UpstreamSpec {
  const entry = { name: 'acme', kind: 'openai', base_url: provider.url, api_key: secret, ...more };
  return upstreamSpec(upstreamSchema.parse(entry));
}

const probe = (of: UpstreamSpec, model?: string) =>
  probeUpstream(of, { clock: systemClock, newId: () => 'id', model, timeoutMs: 600_000 });

test('a provider that lists its models passes, and the request has its credential and headers', async () => {
  provider.respond('GET /v1/models', json(200, { data: [{ id: 'one' }, { id: 'two' }, { id: 'text-embedding-3' }] }));
  const report = await probe(spec({ headers: { 'x-team': 'blue' } }));
  expect(report).toMatchObject({
    ok: true,
    asked: 'model_list',
    status: 200,
    models: ['one', 'two'],
    error: undefined,
  });
  expect(report.durationMs).toBeGreaterThanOrEqual(0);
  const { headers } = await provider.call('GET /v1/models').received;
  expect(headers).toMatchObject({ authorization: `Bearer ${secret}`, 'x-team': 'blue' });
});

test('a provider of the messages format is tested with the headers of that format', async () => {
  provider.respond('GET /v1/models', json(200, { data: [{ id: 'claude' }] }));
  expect(await probe(spec({ kind: 'anthropic' }))).toMatchObject({ ok: true, models: ['claude'] });
  const { headers } = await provider.call('GET /v1/models').received;
  expect(headers).toMatchObject({ 'x-api-key': secret, 'anthropic-version': '2023-06-01' });
});

test('a refused credential is reported without the credential', async () => {
  provider.respond('GET /v1/models', json(401, { error: { message: `bad key ${secret}` } }));
  const report = await probe(spec());
  expect(report).toMatchObject({ ok: false, asked: 'model_list', status: 401 });
  expect(report.error).toMatch(/^The provider refuses the credential\. It answered 401: .*bad key \[redacted\]/);
});

test('each of several credentials can be tested', async () => {
  provider.respond('GET /v1/models', json(200, { data: [] }), json(404, {}));
  provider.respond('large', answer('Hello'));
  const several = spec({ api_key: undefined, api_keys: ['first', 'second'] });
  const options = { clock: systemClock, newId: () => 'id', credential: 1, timeoutMs: 600_000 };
  await probeUpstream(several, { ...options, model: undefined });
  await probeUpstream(several, { ...options, model: 'large' });
  expect(provider.calls.map(({ headers }) => headers['authorization'])).toEqual(Array(3).fill('Bearer second'));
});

test('a provider without a list is tested with one token of a model that has a route to it', async () => {
  provider.respond('GET /v1/models', json(404, { error: { message: 'no such route' } }));
  provider.respond('large', answer('Hello'));
  expect(await probe(spec(), 'large')).toMatchObject({ ok: true, asked: 'answer', status: 200 });
  const { body } = await provider.call('large').received;
  expect(body).toMatchObject({ model: 'large', max_tokens: 1 });
  expect(await probe(spec())).toMatchObject({ ok: false, asked: 'model_list', status: 404 });
});

test('a refused answer is reported with its status', async () => {
  provider.respond('GET /v1/models', json(404, {}));
  provider.respond('large', json(402, { error: { message: `top up ${secret}` } }));
  const report = await probe(spec(), 'large');
  expect(report).toMatchObject({ ok: false, asked: 'answer', status: 402 });
  expect(report.error).toMatch(/^The account at the provider has no balance\./);
  expect(report.error).not.toContain(secret);
});

test('a response that is not a list of models is reported', async () => {
  provider.respond('GET /v1/models', json(200, { hello: 'world' }));
  expect(await probe(spec())).toMatchObject({ ok: false, error: expect.stringContaining('not a list of models') });
});

test('no request is sent to an address that the upstream may not reach', async () => {
  const report = await probe({ ...spec(), egressAllow: [] });
  expect(report).toMatchObject({ ok: false, status: undefined });
  expect(report.error).toContain('not a public address');
  expect(provider.connections.accepted).toBe(0);
});

test('an address without a server is reported as unreachable', async () => {
  const gone = await fakeProvider();
  await gone.close();
  const report = await probe(spec({ base_url: gone.url }));
  expect(report).toMatchObject({ ok: false, asked: 'model_list', status: undefined });
  expect(report.error).toMatch(/^It cannot be reached: /);
});

test('a provider without a list and without a model cannot be tested', async () => {
  const own = upstreamSpec(upstreamSchema.parse({ name: 'sim', kind: 'simulated' }));
  expect(await probe(own)).toMatchObject({
    ok: false,
    asked: 'nothing',
    error: expect.stringContaining('Add a model'),
  });
  expect(await probe(own, 'any')).toMatchObject({ ok: true, asked: 'answer' });
});
