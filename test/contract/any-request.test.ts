import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectGatewayHeaders } from '../expectations.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { rawExchange } from '../raw-client.ts';

let gateway: TestGateway;
/** A gateway with timeouts of 1 s, so that incomplete requests get their 408 soon. */
let quickGateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  quickGateway = await startTestGateway((base) => ({
    ...base,
    limits: { headers_timeout: '1s', request_timeout: '1s' },
  }));
});
afterAll(() => Promise.all([gateway.stop(), quickGateway.stop()]));

const documentedStatuses = [200, 400, 401, 403, 404, 405, 408, 413, 417, 431, 503];

/** A body whose fields are valid, invalid or random. */
const anyBody = fc.record(
  {
    model: fc.oneof(fc.constant('plain'), fc.jsonValue()),
    messages: fc.oneof(fc.constant([{ role: 'user', content: 'x' }]), fc.jsonValue()),
    max_tokens: fc.jsonValue(),
    temperature: fc.oneof(fc.double(), fc.jsonValue()),
    top_p: fc.jsonValue(),
    stop: fc.jsonValue(),
    tools: fc.jsonValue(),
    tool_choice: fc.jsonValue(),
    response_format: fc.jsonValue(),
    thinking: fc.jsonValue(),
    reasoning_effort: fc.jsonValue(),
    user_id: fc.jsonValue(),
    logprobs: fc.jsonValue(),
    top_logprobs: fc.jsonValue(),
    stream_options: fc.jsonValue(),
    n: fc.jsonValue(),
    prompt: fc.jsonValue(),
    suffix: fc.jsonValue(),
  },
  { requiredKeys: ['model', 'messages'] },
);

test('random JSON always gets a documented status and an error message, never an internal error', async () => {
  const path = fc.constantFrom('/v1/chat/completions', '/v1/completions');
  await fc.assert(
    fc.asyncProperty(path, fc.oneof(anyBody, fc.jsonValue()), async (where, body) => {
      const reply = await gateway.post(where, body);
      expect(documentedStatuses).toContain(reply.status);
      expectGatewayHeaders(reply);
      if (reply.status !== 200) expect(reply.json.error.message).toContain('(request id: ');
    }),
    { numRuns: 150 },
  );
});

test('random bytes always get a reply of the gateway, with its headers', async () => {
  const body = '{"model":"plain","messages":[{"role":"user","content":"x"}]}';
  const request = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${quickGateway.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  const change = fc.record({ at: fc.nat(request.length), drop: fc.nat(4), put: fc.uint8Array({ maxLength: 4 }) });
  const expectGatewayReply = async (changes: readonly Change[]): Promise<void> => {
    const reply = await rawExchange(quickGateway.port, changed(request, changes));
    expect(documentedStatuses).toContain(reply.status);
    expect(reply.raw).toMatch(/x-gateway-version: \d{8}-\d{6}\r\n/);
    expect(reply.raw).toMatch(/x-gateway-request-id: \S{8,}\r\n/);
    expect(reply.raw).not.toMatch(/retry-after|ratelimit/i);
  };
  // Concurrently: some are incomplete requests, which the gateway rejects only after its timeout.
  const [minLength, maxLength] = [100, 100];
  const many = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength, maxLength, size: 'max' });
  await fc.assert(
    fc.asyncProperty(many, async (each) => void (await Promise.all(each.map(expectGatewayReply)))),
    { numRuns: 2 },
  );
});

interface Change {
  readonly at: number;
  readonly drop: number;
  readonly put: Uint8Array;
}

function changed(request: string, changes: readonly Change[]): Buffer {
  let bytes = Buffer.from(request);
  for (const { at, drop, put } of changes) {
    bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + drop)]);
  }
  return bytes;
}

test('the gateway still serves requests afterwards', async () => {
  expect((await gateway.chat({})).frames.at(-1)).toBe('[DONE]');
  const listRequest = `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${quickGateway.key}\r\n\r\n`;
  expect([200, 408]).toContain((await rawExchange(quickGateway.port, listRequest)).status);
  for (const { gateway: each } of [gateway, quickGateway]) {
    await expect.poll(() => each.inFlight().answers, { message: 'answers in flight' }).toBe(0);
  }
});
