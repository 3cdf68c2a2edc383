import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEnvelope } from '../../expectations.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [...(base['models'] as object[]), model('messages-only', { surfaces: ['anthropic'] })],
  }));
});
afterAll(() => gateway.stop());

const denied = { status: 403, code: 'access_denied', type: 'gateway_error' };
const absent = ['', 'nope', 'x'.repeat(300), '../x', '__proto__', 'constructor', 'PLAIN', 'plain '];

test.each(absent)('the model %j is not in the catalog', async (name) => {
  const reply = await gateway.chat({ model: name });
  expectEnvelope(reply, denied);
  expect(reply.json.error.message).toMatch(/^\p{Script=Han}.*The model does not exist, or this key may not use it\./u);
});

test('a model that the key may not use gets the same error as an unknown one', async () => {
  const limited = await gateway.newKey({ models: ['plain'] });
  const headers = { authorization: `Bearer ${limited}` };
  expect((await gateway.chat({ model: 'plain' }, headers)).status).toBe(200);
  const forbidden = await gateway.chat({ model: 'other' }, headers);
  const missing = await gateway.chat({ model: 'nope' }, headers);
  expectEnvelope(forbidden, denied);
  const withoutId = (text: string) => text.replace(/request id: [^)]*/, '');
  expect(withoutId(forbidden.text)).toBe(withoutId(missing.text));
});

test('a model of the messages surface only is refused', async () => {
  expectEnvelope(await gateway.chat({ model: 'messages-only' }), denied);
});

test('none of these requests reaches the provider', () => {
  expect(gateway.provider.calls.map(({ key }) => key)).toEqual(['plain']);
});
