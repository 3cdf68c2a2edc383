import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { expectAtRest } from '../at-rest.ts';
import { expectGatewayHeaders } from '../expectations.ts';
import { answer, json, sse } from '../fakes/fake-provider.ts';
import { joined, model, patientTimeouts, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

const slowDown = (status: number, headers: Record<string, string> = {}) =>
  json(status, { error: { message: 'slow down' } }, { 'x-ratelimit-remaining': '0', ...headers });
const busy: ReadonlySet<unknown> = new Set([429, 503, 529]);
const busyFrames = [
  { error: { message: 'slow down', code: 429 } },
  { error: { message: 'slow down', code: '429', type: 'requests' } },
  { error: { message: 'slow down', type: 'rate_limit_exceeded' } },
  { error: { message: 'no room', type: 'overloaded_error' } },
  { error: { message: 'no room', code: 'engine_overloaded' } },
  { object: 'error', message: 'no room', code: 503 },
  { error: { code: 'x', status: 'RESOURCE_EXHAUSTED' } },
];

const busyReplies = [
  ...(
    [
      [429, {}],
      [429, { 'retry-after': '1' }],
      [503, { 'retry-after': '0' }],
      [529, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
    ] as const
  ).map(([status, headers]) => [`a ${status} with ${JSON.stringify(headers)}`, slowDown(status, headers)] as const),
  ...busyFrames.map((frame) => [`an answer that begins with ${JSON.stringify(frame)}`, sse([frame])] as const),
];
// Each reply has its own upstream, because it puts that upstream into a cooldown.
const names = busyReplies.map((_, index) => `busy-${index}`);
let shared: TestGateway;
beforeAll(async () => {
  shared = await startTestGateway((base, { url }) => ({
    ...base,
    waiting: { max_wait: '50s', hold_headers: '60s' },
    upstreams: names.map((name) => ({ name, kind: 'openai', base_url: url, timeouts: patientTimeouts })),
    models: names.map((name) => model(name, { routes: [{ upstream: name }] })),
  }));
});
afterAll(() => shared?.stop());

test.each(busyReplies.map(([name, reply], index) => [name, names[index] ?? '', reply] as const))(
  'the gateway waits and retries after %s, and the client gets its answer',
  async (_name, name, reply) => {
    shared.provider.respond(name, reply, answer('served in the end'));
    const served = await shared.chat({ model: name });
    expect(served.status).toBe(200);
    expectGatewayHeaders(served);
    expect(joined(served)).toBe('served in the end');
    const id = served.headers.get('x-gateway-request-id')!;
    const record = () => findRequest(shared.gateway.store, id);
    await expect
      .poll(record, { message: 'the record' })
      .toMatchObject({ attemptCount: 2, status: 200, promptTokens: 7, completionTokens: 4 });
    const { attempts = [] } = (await record()) ?? {};
    expect(attempts.map(({ status }) => status)).toEqual([expect.toSatisfy((status) => busy.has(status)), 200]);
    await expectAtRest(shared.gateway);
  },
);
