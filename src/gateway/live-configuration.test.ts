import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadedConfig } from '../../test/loaded-config.ts';
import { secretVault } from '../catalog/secret-vault.ts';
import type { UpstreamSpec } from '../config/upstream.ts';
import { systemClock } from '../core/clock.ts';
import { openStore, type Store } from '../store/store.ts';
import { type LiveConfiguration, liveConfiguration } from './live-configuration.ts';

let directory: string;
let store: Store;
let inUse: readonly string[];
let discarded: number;
let configuration: LiveConfiguration;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  store = await openStore({ data: directory });
  [inUse, discarded] = [[], 0];
  configuration = liveConfiguration(file(['fine']), {
    store,
    clock: systemClock,
    env: {},
    build: '20260102-030405',
    vault: secretVault(createSecretKey(Buffer.alloc(32))),
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

/** Opens every upstream but the one that is called `broken`. */
function prepareUpstreams(specs: readonly UpstreamSpec[]) {
  const names = specs.map(({ name }) => name);
  if (names.includes('broken')) throw new Error('The upstream `broken` cannot be opened.');
  return { use: () => void (inUse = names), discard: () => void (discarded += 1) };
}

const models = () => configuration.live.catalog.all().map(({ id }) => id);
const stored = () => store.db.selectFrom('resources').select('name').orderBy('name').execute();

test('an upstream that cannot be opened leaves everything as it was', async () => {
  const before = { version: configuration.live.version, stored: await stored() };
  await expect(configuration.apply(file(['fine', 'broken']))).rejects.toThrow('`broken`');
  expect([models(), inUse, configuration.config.currency]).toEqual([['of-fine'], ['fine'], 'USD']);
  expect({ version: configuration.live.version, stored: await stored() }).toEqual(before);
});

test('changes that come at once are taken one after another, and the last one stays', async () => {
  const asked = [file(['fine', 'second']), file(['fine', 'broken']), file(['fine', 'third'])];
  const outcomes = await Promise.allSettled([...asked.map(configuration.apply), configuration.refresh()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect([models(), inUse]).toEqual([
    ['of-fine', 'of-third'],
    ['fine', 'third'],
  ]);
});

test('upstreams that were opened for a change that failed later are closed again', async () => {
  const refused = { ...store, transaction: () => Promise.reject(new Error('the disk is full')) };
  const unlucky = liveConfiguration(file(['fine']), {
    store: { ...refused, transaction: (work) => store.transaction((tx) => work(tx).then(() => refused.transaction())) },
    clock: systemClock,
    env: {},
    build: '20260102-030405',
    vault: secretVault(createSecretKey(Buffer.alloc(32))),
    log: pino({ level: 'silent' }),
    prepareUpstreams,
  });
  await expect(unlucky.apply(file(['fine', 'second']))).rejects.toThrow('the disk is full');
  expect([inUse, discarded]).toEqual([['fine'], 1]);
});
