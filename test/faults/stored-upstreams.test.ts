import { stringify } from 'yaml';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Resources } from '../../src/money/catalog/resources.ts';
import { secretVault } from '../../src/platform/secrets/secret-vault.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { knownKinds } from '../../src/serving/upstreams/providers/presets.ts';
import { expectEnvelope } from '../expectations.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { joined, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { loadedConfig } from '../gateways/loaded-config.ts';

let gateway: TestGateway;
let stored: Resources;
let base: Record<string, unknown>;
beforeEach(async () => {
  gateway = await startTestGateway((config) => {
    base = config;
    return config;
  });
  const { store, pepper } = gateway.gateway;
  stored = new Resources(store, { clock: systemClock, kinds: knownKinds, vault: async () => secretVault(pepper) });
  gateway.provider.respond('extra', answer('from the store'));
});
afterEach(() => gateway.stop());

async function addUpstream(): Promise<void> {
  await stored.add('upstream', { name: 'added', kind: 'openai', base_url: gateway.provider.url, api_key: 'first-key' });
  await stored.add('model', { id: 'extra', routes: [{ upstream: 'added' }], price: 'free' });
  await expect
    .poll(async () => (await gateway.chat({ model: 'extra' })).status, { message: 'the model of the store is served' })
    .not.toBe(403);
}

function allow(addresses: readonly string[]): Promise<unknown> {
  return gateway.gateway.apply(loadedConfig(stringify({ ...base, egress: { allow: addresses } }), gateway.directory));
}

const keyUsed = () => gateway.provider.calls.at(-1)?.headers['authorization'];

test('an upstream of the store can reach this machine only if the configuration file allows it', async () => {
  await addUpstream();
  expectEnvelope(await gateway.chat({ model: 'extra' }), {
    status: 502,
    code: 'upstream_failed',
    type: 'upstream_error',
  });
  expect(gateway.provider.connections.accepted).toBe(0);
  expect(joined(await gateway.chat({}))).toBe('Hello there, friend');
  await allow(['127.0.0.0/8']);
  expect(joined(await gateway.chat({ model: 'extra' }))).toBe('from the store');
  expect(keyUsed()).toBe('Bearer first-key');
  await allow(['10.0.0.0/8']);
  expect((await gateway.chat({ model: 'extra' })).status).toBe(502);
});

test('a rotated key is used by new requests while running answers finish with the old one', async () => {
  await allow(['127.0.0.1']);
  await addUpstream();
  const { opened, open } = gate();
  const ending = [chunk({ content: ' two' }), finish('stop'), usage(3, 2), '[DONE]'];
  gateway.provider.respond('extra', sse([chunk({ role: 'assistant', content: 'one' }), opened, ...ending]));
  const earlier = gateway.provider.calls.filter(({ key }) => key === 'extra').length;
  const running = gateway.chat({ model: 'extra' });
  await gateway.provider.call('extra', earlier).received;
  expect(keyUsed()).toBe('Bearer first-key');
  gateway.provider.respond('extra', answer('from the store'));
  await stored.rotateKey('added', ['second-key']);
  await expect
    .poll(async () => ((await gateway.chat({ model: 'extra' })).status === 200 ? keyUsed() : undefined), {
      message: 'the key that new requests use',
    })
    .toBe('Bearer second-key');
  open();
  expect(joined(await running)).toBe('one two');
});
