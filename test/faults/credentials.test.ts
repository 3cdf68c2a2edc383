import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createToken } from '../../src/manage/admin/api/tokens.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { expectEnvelope } from '../expectations.ts';
import { answer, chunk, finish, gate, json, type ScriptedReply, sse, usage } from '../fakes/fake-provider.ts';
import { joined, model, patientTimeouts, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { expectAtRest } from '../at-rest.ts';
import { heldClock } from '../clocks/held-clock.ts';

const secret = 'w'.repeat(24);
const clock = heldClock();
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway(
    (base, provider) => {
      const upstream = { kind: 'openai', base_url: provider.url, timeouts: patientTimeouts };
      return {
        ...base,
        webhooks: { endpoints: [{ name: 'ops', url: `${provider.url}/hook`, secret, events: ['credential.refused'] }] },
        upstreams: [
          { name: 'two', ...upstream, api_keys: ['sk-canary-first', 'sk-canary-second'] },
          { name: 'spare', ...upstream, api_key: 'sk-canary-spare' },
        ],
        models: [
          model('both', { routes: [{ upstream: 'two' }] }),
          model('spared', {
            routes: [
              { upstream: 'spare', model: 'bad' },
              { upstream: 'two', model: 'good', priority: 1 },
            ],
          }),
        ],
      };
    },
    { clock },
  );
});
afterEach(async () => {
  await expectAtRest(gateway.gateway);
  clock.release();
  await gateway.stop();
});

const refusing =
  (secret: string, refusal: ScriptedReply): ScriptedReply =>
  (writer, call) =>
    (call.headers['authorization'] === `Bearer ${secret}` ? refusal : answer('hello'))(writer, call);
const unauthorized = json(401, { error: { message: 'Incorrect API key: sk-canary-first', code: 'invalid_api_key' } });

async function health() {
  const { store, pepper } = gateway.gateway;
  const token = await createToken(
    { store, pepper, clock: systemClock },
    { name: 't', role: 'read-only', accountId: undefined },
  );
  const reply = await gateway.get('/admin/v1/upstreams/health', { authorization: `Bearer ${token.secret}` });
  expect(reply.status).toBe(200);
  expect(reply.text).not.toContain('canary');
  return reply.json;
}

test('a credential that a provider refuses is disabled, and the client gets its answer', async () => {
  gateway.provider.respond('POST /v1/hook', json(200, {}));
  gateway.provider.respond('both', refusing('sk-canary-first', unauthorized));
  for (let i = 0; i < 20; i += 1) expect(joined(await gateway.chat({ model: 'both' }))).toBe('hello');
  const used = gateway.provider.calls.map(({ headers }) => headers['authorization']);
  expect(used.filter((value) => value === 'Bearer sk-canary-first')).toHaveLength(1);
  const [two] = (await health()).upstreams;
  expect(two.credentials).toMatchObject([
    { index: 0, state: 'disabled', ejected_until: expect.any(String), last_error: expect.stringContaining('401') },
    { index: 1, state: 'healthy', consecutive_failures: 0 },
  ]);
  const delivery = await gateway.provider.call('POST /v1/hook').received;
  expect(delivery.body).toMatchObject({ type: 'credential.refused', data: { upstream: 'two', credential: 1 } });
  const [time, proof] = String(delivery.headers['x-gateway-signature']).split(',');
  const signed = `${time?.slice(2)}.${JSON.stringify(delivery.body)}`;
  expect(proof).toBe(`v1=${createHmac('sha256', secret).update(signed).digest('hex')}`);
});

test('requests are spread over the credentials of an upstream', async () => {
  const { opened, open } = gate();
  const steps = [chunk({ content: 'hello' }), finish('stop'), usage(7, 1), '[DONE]'];
  gateway.provider.respond('both', sse([opened, ...steps]));
  const chats = Array.from({ length: 40 }, () => gateway.chat({ model: 'both' }));
  // All requests run at once. Three of four draws then choose the credential with fewer answers: the bounds hold.
  await gateway.provider.call('both', 39).received;
  open();
  for (const reply of await Promise.all(chats)) expect(joined(reply)).toBe('hello');
  const used = gateway.provider.calls.map(({ headers }) => headers['authorization']);
  const first = used.filter((value) => value === 'Bearer sk-canary-first').length;
  expect(first).toBeGreaterThan(5);
  expect(first).toBeLessThan(35);
});

test('if all credentials are refused, the client gets an upstream error, not an error about its own key', async () => {
  gateway.provider.respond('both', unauthorized);
  for (let i = 0; i < 3; i += 1) {
    const reply = await gateway.chat({ model: 'both' });
    expectEnvelope(reply, { status: 502, code: 'upstream_failed', type: 'upstream_error' });
    expect(reply.text).not.toContain('canary');
  }
  gateway.provider.respond('both', answer('works again'));
  expect(joined(await gateway.chat({ model: 'both' }))).toBe('works again');
});

test('an upstream that keeps failing is ejected, and the health report shows it', async () => {
  gateway.provider.respond('bad', json(500, { error: { message: 'oops' } }));
  gateway.provider.respond('good', answer('good'));
  // A credential that failed too often is ejected for 30 s. The held clock keeps it ejected.
  clock.hold();
  for (let i = 0; i < 9; i += 1) expect(joined(await gateway.chat({ model: 'spared' }))).toBe('good');
  expect(gateway.provider.calls.filter(({ key }) => key === 'bad')).toHaveLength(5);
  const { upstreams, retries } = await health();
  expect(upstreams[1]).toMatchObject({
    name: 'spare',
    running: 0,
    waiting: 0,
    limit: 64,
    credentials: [{ state: 'ejected', ejected_until: expect.any(String), last_error: expect.stringContaining('500') }],
  });
  expect(upstreams[0].credentials.some(({ latency_ms: latency }: { latency_ms: number }) => latency >= 0)).toBe(true);
  expect(retries).toEqual({ in_use: 0, limit: 3 });
});
