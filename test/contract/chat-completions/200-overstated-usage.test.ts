import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRequest } from '../../../src/money/requests/find-requests.ts';
import { chat } from '../../chat-client.ts';
import { eventually } from '../../eventually.ts';
import { chunk, finish, type ScriptedReply, sse, usage } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from '../../fast-path/warm-fast-path.ts';

watchedFastPath();

const huge = Number.MAX_SAFE_INTEGER;
const maxTokens = 100;
const perToken = 1000n;
const price = { input: '1', cached_input: '1', output: '1' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [model('windowed', { price, context_window: 100_000 }), model('unbounded', { price })],
  }));
});
afterAll(() => gateway.stop());

const overstated: Readonly<Record<string, object>> = {
  'more completion tokens than the client allowed': usage(7, huge),
  'more prompt tokens than the request has bytes': usage(huge, 3),
  'both, with parts as large': usage(huge, huge, { prompt_tokens_details: { cached_tokens: huge } }),
};

const reply = (reported: object): ScriptedReply => sse([chunk({ content: 'yes' }), finish('stop'), reported, '[DONE]']);

describe.each(['windowed', 'unbounded'])('the model %s', (name) => {
  test.each(Object.entries(overstated))('charges at most the hold: %s', async (_, reported) => {
    gateway.provider.respond(name, reply(reported));
    const body = { model: name, messages: [{ role: 'user', content: 'hello' }], max_tokens: maxTokens };
    const response = await gateway.chat(body);
    expect(response.status, response.text).toBe(200);
    await expectClamped(response.headers.get('x-gateway-request-id')!, Buffer.byteLength(JSON.stringify(body)));
    const clamped = response.chunks.at(-1).usage;
    expect(clamped.completion_tokens).toBeLessThanOrEqual(maxTokens);
    expect(clamped.prompt_tokens_details?.cached_tokens ?? 0).toBeLessThanOrEqual(clamped.prompt_tokens);
  });
});

test('the fast path clamps the usage too', async () => {
  await warmFastPath(gateway, 'unbounded');
  gateway.provider.respond('unbounded', reply(usage(7, huge)));
  const agent = new Agent({ keepAlive: true });
  const { over } = chat({ ...gateway, agent, model: 'unbounded', body: { max_tokens: maxTokens } });
  const { id, isComplete } = await over;
  agent.destroy();
  expect([isComplete, isInFastPath()]).toEqual([true, true]);
  await expectClamped(id, 1000);
});

/** The charge is within the hold: `max_tokens` completion tokens, and one token per byte of the request. */
async function expectClamped(id: string, bytes: number): Promise<void> {
  await eventually(async () => {
    const record = await findRequest(gateway.gateway.store, id);
    expect(record?.notes.join()).toContain('the request can use at most');
    expect(record?.cost).toBeLessThanOrEqual(perToken * BigInt(bytes + 512 + maxTokens));
    expect(record?.cost).toBeGreaterThan(0n);
  });
}
