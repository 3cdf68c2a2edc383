import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KeyId } from '../../../src/accounts/ids.ts';
import { limitKey } from '../../../src/accounts/key-limits.ts';
import { startTestGateway, type TestGateway } from '../../gateway.ts';
import { makeKey } from '../../keys.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const prompt = { model: 'plain', messages: [{ role: 'user', content: 'hello' }] };

/** The media type a key is answered with. */
async function answered(secret: string, body: object): Promise<string> {
  const reply = await gateway.post(
    '/v1/chat/completions',
    { ...prompt, ...body },
    { authorization: `Bearer ${secret}` },
  );
  expect(reply.status).toBe(200);
  return reply.headers.get('content-type') ?? '';
}

test('a key that honours `stream: false` gets one JSON body, and a stream when it asks for one', async () => {
  const { secret, id } = await makeKey(gateway.gateway, { account: 'tester', name: 'agent' });
  expect(await answered(secret, { stream: false })).toMatch(/^text\/event-stream/);
  await limitKey(gateway.gateway.store, id as KeyId, { honourStreamFalse: true });
  await expect.poll(() => answered(secret, { stream: false })).toMatch(/^application\/json/);
  expect(await answered(secret, {})).toMatch(/^application\/json/);
  expect(await answered(secret, { stream: true })).toMatch(/^text\/event-stream/);
  expect(await answered(gateway.key, { stream: false })).toMatch(/^text\/event-stream/);
});
