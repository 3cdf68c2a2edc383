import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadedConfig } from '../../test/gateways/loaded-config.ts';
import { putStore } from '../../test/stores/made-store.ts';
import { secretVault } from '../platform/secrets/secret-vault.ts';
import { newSecret } from '../money/accounts/secret-format.ts';
import { keys } from '../money/accounts/keys.ts';
import type { UpstreamSpec } from '../platform/config/schema/upstream.ts';
import { systemClock } from '../core/time/clock.ts';
import { openStore, type Store } from '../platform/store/store.ts';
import { type LiveConfiguration, liveConfiguration } from './live-configuration.ts';

const pepper = createSecretKey(Buffer.alloc(32));
let directory: string;
let store: Store;
let inUse: readonly string[];
let discarded: number;
let configuration: LiveConfiguration;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  await putStore(directory);
  store = await openStore({ data: directory });
  [inUse, discarded] = [[], 0];
  configuration = liveConfiguration(file(['fine']), {
    store,
    clock: systemClock,
    env: {},
    build: '20260102-030405',
    vault: secretVault(pepper),
    pepper,
    log: pino({ level: 'silent' }),
    prepareUpstreams,
  });
  await configuration.apply(file(['fine']));
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

function file(upstreams: readonly string[]) {
  const text = stringify({
    currency: upstreams.length === 1 ? 'USD' : 'EUR',
    upstreams: upstreams.map((name) => ({ name, kind: 'simulated' })),
    models: upstreams.map((upstream) => ({ id: `of-${upstream}`, routes: [{ upstream }], price: 'free' })),
  });
  return loadedConfig(text, directory);
}

/** Opens every upstream except `broken`. */
function prepareUpstreams(specs: readonly UpstreamSpec[]) {
  const names = specs.map(({ name }) => name);
  if (names.includes('broken')) throw new Error('The upstream `broken` cannot be opened.');
  return { use: () => void (inUse = names), discard: () => void (discarded += 1) };
}

const models = () => configuration.live.catalog.all().map(({ id }) => id);
const stored = () => store.db.selectFrom('resources').select('name').orderBy('name').execute();

test('a change with an upstream that cannot be opened has no effect', async () => {
  const before = { version: configuration.live.version, stored: await stored() };
  await expect(configuration.apply(file(['fine', 'broken']))).rejects.toThrow('`broken`');
  expect([models(), inUse, configuration.config.currency]).toEqual([['of-fine'], ['fine'], 'USD']);
  expect({ version: configuration.live.version, stored: await stored() }).toEqual(before);
});

test('simultaneous changes are applied one after another, and the last one stays', async () => {
  const requested = [file(['fine', 'second']), file(['fine', 'broken']), file(['fine', 'third'])];
  const outcomes = await Promise.allSettled([...requested.map(configuration.apply), configuration.refresh()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect([models(), inUse]).toEqual([
    ['of-fine', 'of-third'],
    ['fine', 'third'],
  ]);
});

test('a change that fails later closes the upstreams that it opened', async () => {
  const refused = { ...store, transaction: () => Promise.reject(new Error('the disk is full')) };
  const failing = liveConfiguration(file(['fine']), {
    store: { ...refused, transaction: (work) => store.transaction((tx) => work(tx).then(() => refused.transaction())) },
    clock: systemClock,
    env: {},
    build: '20260102-030405',
    vault: secretVault(pepper),
    pepper,
    log: pino({ level: 'silent' }),
    prepareUpstreams,
  });
  await expect(failing.apply(file(['fine', 'second']))).rejects.toThrow('the disk is full');
  expect([inUse, discarded]).toEqual([['fine'], 1]);
});

test('keys of the file are created once, follow its limits, and stay revoked', async () => {
  const secret = newSecret();
  const withKey = (limits: object) => {
    const account = { name: 'ann', package: 'standard', time_zone: 'Asia/Tokyo', keys: [{ secret, ...limits }] };
    const upstreams = [{ name: 'fine', kind: 'simulated' }];
    return loadedConfig(stringify({ data: '.', upstreams, models: [], accounts: [account] }), directory);
  };
  const keyStore = keys(store, systemClock);
  const capped = { name: 'laptop', spend_cap: '5', cap_period: 'week', max_concurrency: 2, addresses: ['10.0.0.0/8'] };
  await configuration.apply(withKey(capped));
  const [made] = await keyStore.list();
  const terms = { spendCap: 5_000_000_000n, capPeriod: 'week', maxConcurrency: 2, addresses: ['10.0.0.0/8'] };
  expect(made).toMatchObject({ name: 'laptop', ...terms });
  await configuration.apply(withKey({ name: 'desk', max_concurrency: 3 }));
  await keyStore.revoke(made!.id);
  await configuration.apply(withKey({ name: 'desk', max_concurrency: 4 }));
  const all = await keyStore.list();
  expect(all).toHaveLength(1);
  expect(all[0]).toMatchObject({ id: made!.id, name: 'desk', spendCap: undefined, maxConcurrency: 4 });
  expect(all[0]!.revokedAt).toBeDefined();
  const foreign = { name: 'old', secret: `sk-${'a1B2'.repeat(12)}`, scheme: 'new-api' };
  for (const spend of ['1', '2']) await configuration.apply(withKey({ ...foreign, spend_cap: spend }));
  const [old] = (await keyStore.list()).filter(({ name }) => name === 'old');
  expect(await keyStore.list()).toHaveLength(2);
  expect(old).toMatchObject({ display: 'sk-a…a1B2', spendCap: 2_000_000_000n });
  const mistyped = { name: 'laptop', secret: `gwk_live_${'x'.repeat(38)}` };
  await expect(configuration.apply(withKey(mistyped))).rejects.toThrow('checksum');
  expect(() => withKey({ name: 'laptop', cap_period: 'day' })).toThrow();
});
