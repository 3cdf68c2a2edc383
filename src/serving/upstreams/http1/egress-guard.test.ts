import type { LookupFunction } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { fakeProvider, json } from '../../../../test/fakes/fake-provider.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { egressGuard, isPublicAddress } from './egress-guard.ts';
import { fetchText } from './fetch-text.ts';

test.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.255',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2001::7f00:1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
  expect(() => egressGuard([]).check(address, address)).toThrow('is not a public address');
});

test.each(['1.1.1.1', '8.8.8.8', '100.63.255.255', '172.15.0.1', '172.32.0.1', '169.253.1.1', '2606:4700::1111'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(() => egressGuard([]).check('api.example', address)).not.toThrow();
  },
);

test.each([
  [['10.1.0.0/16'], 'api.example', '10.1.2.3', true],
  [['10.1.0.0/16'], 'api.example', '10.2.2.3', false],
  [['10.1.2.3'], '10.1.2.3', '10.1.2.3', true],
  [['10.1.2.3'], 'api.example', '10.1.2.3', true],
  [['fd12::/64'], 'api.example', 'fd12::5', true],
  [['fd12::/64'], 'api.example', 'fd13::5', false],
  [['10.0.0.0/8'], 'api.example', '::ffff:10.0.0.1', false],
  [['::/0'], 'api.example', '10.0.0.1', false],
  [['Models.Internal'], 'models.internal.', '10.0.0.1', true],
  [['models.internal'], 'evil.models.internal', '10.0.0.1', false],
  [['models.internal'], 'models.internal.evil.example', '10.0.0.1', false],
] as const)('with %j allowed, %s at %s: %s', (allow, host, address, isAllowed) => {
  const check = (): void => egressGuard(allow).check(host, address);
  if (isAllowed) expect(check).not.toThrow();
  else expect(check).toThrow('is not a public address');
});

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close();
});

async function provide() {
  const provider = await fakeProvider();
  provider.respond('GET /v1/models', json(200, { data: [] }));
  opened.push(provider);
  return provider;
}

/** Resolves each look-up with the next list of addresses, and repeats the last one. */
function resolver(...answers: (readonly string[])[]): LookupFunction {
  let lookups = 0;
  return (_host, options, callback) => {
    const addresses = answers[Math.min(lookups++, answers.length - 1)] ?? [];
    const results = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, results);
    else callback(null, results[0]?.address ?? '', results[0]?.family);
  };
}

function fetchFrom(address: string, options: { allow?: readonly string[]; lookup?: LookupFunction }) {
  return fetchText(new URL(address), {
    clock: systemClock,
    headers: {},
    connectTimeoutMs: 600_000,
    timeoutMs: 600_000,
    bytesMax: 1000,
    guard: options.allow && egressGuard(options.allow),
    lookup: options.lookup,
  });
}

test.each(['127.0.0.1', '2130706433', '0x7f.1', '127.1', '0177.0.0.1', '[::ffff:127.0.0.1]', '[::1]'])(
  'the guard refuses http://%s before any connection',
  async (host) => {
    const provider = await provide();
    const { port } = provider;
    await expect(fetchFrom(`http://${host}:${port}/v1/models`, { allow: [] })).rejects.toMatchObject({
      reason: 'connect-failed',
      message: expect.stringContaining('is not a public address'),
    });
    expect(provider.connections.accepted).toBe(0);
  },
);

test('a name is checked by its addresses at the time of the connection', async () => {
  const provider = await provide();
  const address = `http://api.example:${provider.port}/v1/models`;
  const lookup = resolver(['127.0.0.1']);
  await expect(fetchFrom(address, { allow: [], lookup })).rejects.toThrow('api.example is at 127.0.0.1');
  expect(provider.connections.accepted).toBe(0);
  for (const allow of [['api.example'], ['127.0.0.0/8'], undefined]) {
    expect((await fetchFrom(address, { allow, lookup })).head.status).toBe(200);
  }
});

test('a name that resolves differently the next time does not bypass the guard', async () => {
  const provider = await provide();
  const address = `http://api.example:${provider.port}/v1/models`;
  const lookup = resolver(['127.0.0.1'], ['127.0.0.2']);
  // The allowed address represents a public one, which a test cannot reach.
  const allow = ['127.0.0.1'];
  expect((await fetchFrom(address, { allow, lookup })).head.status).toBe(200);
  await expect(fetchFrom(address, { allow, lookup })).rejects.toThrow('api.example is at 127.0.0.2');
});

test('one private address among public ones makes the guard refuse them all', async () => {
  const provider = await provide();
  const lookup = resolver(['1.1.1.1', '127.0.0.1']);
  await expect(fetchFrom(`http://api.example:${provider.port}/x`, { allow: [], lookup })).rejects.toThrow(
    'is not a public address',
  );
  expect(provider.connections.accepted).toBe(0);
});

test('an https address is guarded in the same way', async () => {
  for (const address of ['https://127.0.0.1:1/x', 'https://api.example:1/x']) {
    const refused = fetchFrom(address, { allow: [], lookup: resolver(['127.0.0.1']) });
    await expect(refused).rejects.toThrow('is not a public address');
  }
});
