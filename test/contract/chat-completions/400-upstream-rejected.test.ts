import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEnvelope } from '../../expectations.ts';
import { json, text } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const secretive = 'sk-upstream-canary is not allowed to use prefix';

test.each([400, 404, 409, 413, 422])('a provider’s %i becomes a 400 without the provider’s message', async (status) => {
  gateway.provider.respond(
    'other',
    json(status, { error: { message: secretive, code: 'unsupported_parameter', param: 'prefix' } }),
  );
  const reply = await gateway.chat({ model: 'other' });
  expectEnvelope(reply, { status: 400, code: 'unsupported_parameter', type: 'upstream_error' });
  expect(reply.json.error.param).toBe('');
  expect(reply.text).not.toContain('prefix');
  expect(reply.text).not.toContain('canary');
});

test.each([
  ['no code at all', json(400, { error: { message: 'no' } })],
  ['a code that is a number', json(400, { error: { message: 'no', code: 400 } })],
  ['a code full of markup', json(400, { error: { message: 'no', code: '<script>'.repeat(50) } })],
  ['no JSON', text(400, 'text/html', '<h1>no</h1>')],
])('a rejection with %s still has a valid code', async (_label, reply) => {
  gateway.provider.respond('other', reply);
  const refused = await gateway.chat({ model: 'other' });
  expect(refused.status).toBe(400);
  expect(refused.json.error.type).toBe('upstream_error');
  expect(refused.json.error.code).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
});

test('a rejection is not retried', async () => {
  gateway.provider.respond('other', json(400, { error: { message: 'no' } }));
  const before = gateway.provider.calls.length;
  await gateway.chat({ model: 'other' });
  expect(gateway.provider.calls.length).toBe(before + 1);
});
