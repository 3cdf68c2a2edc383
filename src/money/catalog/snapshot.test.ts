import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseConfig } from '../../platform/config/load.ts';
import type { Resource } from '../../platform/config/schema/resource.ts';
import type { Source } from '../../platform/store/tables/columns.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';
import { snapshotOf } from './snapshot.ts';

const kinds = [{ name: 'deepseek', hasAddress: true }];
const vault = secretVault(createSecretKey(randomBytes(32)));
const context = { env: { ACME_KEY: 'sk-acme' }, kinds, vault };

function row(kind: Resource['kind'], spec: Resource['spec'], source: Source = 'store') {
  return { kind, name: String(spec.id ?? spec.name), spec, source, position: 0, updatedAt: 0 };
}

function configOf(text: string) {
  const parsed = parseConfig(text, { env: {}, fileName: '/gateway.yaml', kinds });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

const config = configOf(`upstreams: [{ name: acme, kind: deepseek, api_key: sk-file }]
models: [{ id: large, routes: [{ upstream: acme }], price: free }]
egress: { variables: [ACME_KEY, NOPE] }`);

const caller = {
  site: 'main',
  key: {
    keyId: 'k',
    keyName: 'k',
    accountId: 'a',
    accountName: 'a',
    packageName: 'standard',
    models: undefined,
  },
};

function seen(rows: ReturnType<typeof row>[], from: typeof config | undefined = config) {
  const { catalog, upstreams, problems } = snapshotOf({ ...context, config: from, rows });
  const models = catalog
    .visible(caller)
    .map(({ id, routes }) => `${id} ${routes.map(({ upstream }) => upstream).join()}`);
  return { models, upstreams: upstreams.map(({ name, apiKey }) => `${name} ${apiKey}`), problems };
}

test('the snapshot combines file and store into one catalog with its secrets filled in', () => {
  const rows = [
    row('upstream', { name: 'acme', kind: 'deepseek' }, 'file'),
    row('upstream', { name: 'extra', kind: 'deepseek', api_key: '${ACME_KEY}' }),
    row('model', { id: 'small', routes: [{ upstream: 'extra' }, { upstream: 'acme' }], price: 'free' }),
  ];
  expect(seen(rows)).toEqual({
    models: ['large acme', 'small extra,acme'],
    upstreams: ['acme sk-file', 'extra sk-acme'],
    problems: [],
  });
});

test('a stored upstream whose variable is not set here is left out, and so are the models that need it', () => {
  const rows = [
    row('upstream', { name: 'extra', kind: 'deepseek', api_key: '${NOPE}' }),
    row('model', { id: 'small', routes: [{ upstream: 'extra' }], price: 'free' }),
    row('model', { id: 'both', routes: [{ upstream: 'extra' }, { upstream: 'acme' }], price: 'free' }),
  ];
  const { models, upstreams, problems } = seen(rows);
  expect(models).toEqual(['large acme', 'both acme']);
  expect(upstreams).toEqual(['acme sk-file']);
  expect(problems).toEqual([
    'The stored upstream `extra` is left out: needs the environment variable NOPE, which is not set. Set NOPE and restart.',
    'The model `small` cannot be reached through `extra`.',
    'The model `both` cannot be reached through `extra`.',
  ]);
});

test('stored entries that are no longer valid are left out and reported', () => {
  const rows = [
    row('upstream', { name: 'odd', kind: 'withdrawn' }),
    row('model', { id: 'm', routes: [], price: 'free' }),
    row('package', { name: 'p' }),
    row('site', { name: 's', domains: [], models: [] }),
  ];
  const { models, problems } = seen(rows);
  expect(models).toEqual(['large acme']);
  expect(problems.map((problem) => problem.slice(0, 40))).toEqual([
    'The stored upstream `odd` is left out: k',
    'The stored model `m` is left out: routes',
    'The stored package `p` is left out: mode',
    'The stored site `s` is left out: domains',
  ]);
});

test('a fallback to a missing model is left out and reported', () => {
  const fallbacks = [{ model: 'large' }, { model: 'gone' }];
  const rows = [row('model', { id: 'small', routes: [{ upstream: 'acme' }], price: 'free', fallbacks })];
  const { catalog, problems } = snapshotOf({ ...context, config, rows });
  expect(catalog.require(caller, 'small').fallbacks).toEqual([{ model: 'large', on: ['failure'] }]);
  expect(problems).toEqual(['The model `small` cannot fall back to `gone`.']);
});

test('if the file and the store use the same name, the entry of the file wins', () => {
  const rows = [
    row('upstream', { name: 'acme', kind: 'deepseek' }),
    row('model', { id: 'x', aliases: ['large'], routes: [{ upstream: 'acme' }], price: 'free' }),
    row('site', { name: 'two', domains: ['*'], models: ['*'] }),
  ];
  const { models, upstreams, problems } = seen(rows);
  expect(models).toEqual(['large acme']);
  expect(upstreams).toEqual(['acme sk-file']);
  expect(problems).toHaveLength(3);
});

test('packages and sites of the store work like those of the file', () => {
  const rows = [
    row('package', { name: 'tiny', models: ['nothing'] }),
    row('site', {
      name: 'shop',
      domains: ['shop.example'],
      models: ['*'],
      honour_stream_false: true,
      report_cost: true,
    }),
  ];
  const { catalog } = snapshotOf({ ...context, config, rows });
  expect(catalog.siteFor('shop.example')).toBe('shop');
  expect(catalog.honoursStreamFalse('shop')).toBe(true);
  expect(catalog.reportsCost({ ...caller, site: 'shop' })).toBe(true);
  expect(catalog.visible({ ...caller, key: { ...caller.key, packageName: 'tiny' } })).toEqual([]);
  expect(catalog.visible({ ...caller, site: 'shop' })).toHaveLength(1);
});

test('without a file, the entries it wrote to the store before are used', () => {
  const rows = [
    row('upstream', { name: 'acme', kind: 'deepseek' }, 'file'),
    row('model', { id: 'large', routes: [{ upstream: 'acme' }], price: 'free' }, 'file'),
    row('package', { name: 'standard', models: ['*'] }, 'file'),
    row('site', { name: 'main', domains: ['*'], models: ['*'] }, 'file'),
  ];
  const { catalog, problems } = snapshotOf({ ...context, config: undefined, rows });
  expect(catalog.visible(caller).map(({ id }) => id)).toEqual(['large']);
  expect(problems).toEqual([]);
});

test('a sealed secret is opened for its own upstream only', () => {
  const record = vault.seal('upstream extra', 'sk-sealed');
  const rows = [
    row('upstream', { name: 'extra', kind: 'deepseek', api_key: record }),
    row('upstream', { name: 'thief', kind: 'deepseek', api_key: record }),
  ];
  const { upstreams, problems } = seen(rows);
  expect(upstreams).toEqual(['acme sk-file', 'extra sk-sealed']);
  expect(problems).toEqual([
    expect.stringContaining('The stored upstream `thief` is left out: api_key cannot be decrypted'),
  ]);
});

test('an upstream whose secret was sealed with another key is left out, and the problem says how to fix it', () => {
  const foreign = secretVault(createSecretKey(randomBytes(32))).seal('upstream extra', 'sk-canary');
  const { upstreams, problems } = seen([row('upstream', { name: 'extra', kind: 'deepseek', api_key: foreign })]);
  expect(upstreams).toEqual(['acme sk-file']);
  expect(problems).toEqual([
    'The stored upstream `extra` is left out: api_key was encrypted with a secret other than this gateway’s. Put the right `secret` or secret.key back, or give the key again: chat-gateway upstreams rotate-key extra --api-key -',
  ]);
});

test('stored upstreams are restricted to the addresses that the file allows, upstreams of the file are not', () => {
  const rows = [row('upstream', { name: 'extra', kind: 'deepseek' })];
  const allowing = configOf(`upstreams: [{ name: acme, kind: deepseek }]\negress: { allow: [10.0.0.0/8] }`);
  const confined = snapshotOf({ ...context, config: allowing, rows }).upstreams;
  expect(confined.map(({ name, egressAllow }) => [name, egressAllow])).toEqual([
    ['acme', undefined],
    ['extra', ['10.0.0.0/8']],
  ]);
});
