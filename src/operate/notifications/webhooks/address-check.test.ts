import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { addressCheck, concurrentLookupsMax, lookupTimeoutMs } from './address-check.ts';

/** Resolves these names and fails for all others. */
function resolver(names: Readonly<Record<string, readonly string[]>>): LookupFunction {
  return (host, _options, callback) => {
    const addresses = names[host];
    if (!addresses) return callback(new Error(`${host} is not known`), [], 0);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

const names = {
  localhost: ['::1', '127.0.0.1'],
  'inside.example.com': ['10.0.0.7', 'fd00::7'],
  'outside.example.com': ['93.184.215.14'],
  'both.example.com': ['10.0.0.7', '93.184.215.14'],
};

const check = () => addressCheck({ clock: manualClock(), lookup: resolver(names) });

test.each([
  'https://127.0.0.1/hook',
  'http://127.1:8080/',
  'http://2130706433/',
  'https://10.1.2.3/',
  'https://192.168.0.1:8443/',
  'http://169.254.169.254/latest',
  'http://[::1]/',
  'http://[fe80::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://localhost:3000/',
  'http://LOCALHOST/',
  'https://inside.example.com/hook',
  // One private address is enough: the next DNS answer may list it first.
  'https://both.example.com/',
])('%s is refused', async (url) => {
  expect(await check().isRefused(url, [])).toBe(true);
});

test.each([
  'https://93.184.215.14/',
  'https://[2606:4700::1111]/',
  'https://outside.example.com/',
  'https://unknown.example.com/',
])('%s is accepted', async (url) => {
  expect(await check().isRefused(url, [])).toBe(false);
});

test.each([
  ['http://127.0.0.1:9/', ['127.0.0.1']],
  ['http://10.1.2.3/', ['10.0.0.0/8']],
  ['http://localhost/', ['localhost']],
  ['https://inside.example.com/', ['inside.example.com']],
  ['https://both.example.com/', ['10.0.0.0/8']],
])('%s is accepted if the operator allows %j', async (url, allow) => {
  expect(await check().isRefused(url, allow)).toBe(false);
});

test('a silent resolver delays a check by at most 2 s, and at most two lookups run concurrently', async () => {
  const clock = manualClock();
  let lookups = 0;
  const silent = addressCheck({ clock, lookup: () => void (lookups += 1) });
  const waiting = Array.from({ length: concurrentLookupsMax }, () => silent.isRefused('https://slow.example.com/', []));
  expect(await silent.isRefused('https://slow.example.com/', [])).toBe(false);
  expect(lookups).toBe(concurrentLookupsMax);
  clock.advance(lookupTimeoutMs);
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => false));
  expect(clock.pending).toBe(0);
});
