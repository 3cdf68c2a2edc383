import { createSecretKey, randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import type { Resource } from '../../platform/config/schema/resource.ts';
import { buildStamp } from '../../core/build-stamp.ts';
import { type Clock, systemClock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Store } from '../../platform/store/store.ts';
import { applyFile } from './apply-file.ts';
import { catalogVersion, recordBuild } from './catalog-version.ts';
import { readRows } from './resource-rows.ts';
import { Resources } from './resources.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';

const kinds = [
  { name: 'openai', hasAddress: false },
  { name: 'deepseek', hasAddress: true },
  {
    name: 'cloud',
    hasAddress: true,
    own: {
      takes: ['region', 'access_key_id', 'secret_access_key', 'session_token', 'service_account'],
      needs: [{ oneOf: [['access_key_id', 'secret_access_key'], ['service_account']], fix: 'Add a credential.' }],
    },
  },
];
const start = Date.UTC(2027, 0, 2, 3, 4, 5);
let time = start;
const clock: Clock = { ...systemClock, now: () => time, elapsed: () => time };

const vault = secretVault(createSecretKey(randomBytes(32)));

forEachStore(({ open }) => {
  let store: Store;
  let stored: Resources;
  beforeEach(async () => {
    time = start;
    store = await open();
    stored = new Resources(store, { clock, kinds, vault: async () => vault });
  });

  const upstream = (name: string): Resource => ({ kind: 'upstream', name, spec: { name, kind: 'deepseek' } });
  const model = (id: string, more: Record<string, unknown> = {}): Resource => ({
    kind: 'model',
    name: id,
    spec: { id, routes: [{ upstream: 'acme' }], price: 'free', ...more },
  });
  const site = (name: string, ...domains: string[]): Resource => ({
    kind: 'site',
    name,
    spec: { name, domains, models: ['*'] },
  });

  const file = [upstream('acme'), model('large', { aliases: ['l'] }), site('main', '*')];

  async function names(kind: Resource['kind']): Promise<string[]> {
    return (await stored.list(kind)).map(({ name, source }) => `${name} ${source}`);
  }

  async function refusalOf(change: Promise<unknown>): Promise<GatewayError> {
    const error = await change.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof GatewayError)) throw new Error(`not refused: ${String(error)}`);
    return error;
  }

  const changes = async () =>
    (await store.db.selectFrom('changes').select(['topic', 'subject']).execute()).map(
      ({ topic, subject }) => `${topic} ${subject}`,
    );

  test('a file is applied in its order, and a second file replaces the entries of the first', async () => {
    await applyFile(store, [...file, model('a')], clock);
    expect(await names('model')).toEqual(['large file', 'a file']);
    await applyFile(store, [upstream('acme'), model('b'), model('large')], clock);
    expect(await names('model')).toEqual(['b file', 'large file']);
    expect(await names('site')).toEqual([]);
  });

  test('the same file applied again changes nothing and publishes no change', async () => {
    await applyFile(store, file, clock);
    const before = [await stored.list('model'), await changes()];
    time += 60_000;
    await applyFile(store, file, clock);
    expect([await stored.list('model'), await changes()]).toEqual(before);
  });

  test('replicas that apply the same file at the same time write it once', async () => {
    const handles = await Promise.all([open(), open(), open(), open()]);
    await Promise.all(handles.map((handle) => applyFile(handle, file, clock)));
    expect(await names('model')).toEqual(['large file']);
    expect(await changes()).toEqual(['catalog *']);
  });

  test('entries added at the same time are all stored, and each changes the version', async () => {
    await applyFile(store, file, clock);
    const handles = await Promise.all([open(), open(), open()]);
    const added = handles.map((handle, index) =>
      new Resources(handle, { clock, kinds, vault: async () => vault }).add('model', model(`extra-${index}`).spec),
    );
    await Promise.all(added);
    expect(await names('model')).toHaveLength(4);
    expect(await catalogVersion(store.db)).toBe('20270102-030408');
  });

  test('an unchanged entry keeps its time', async () => {
    await applyFile(store, file, clock);
    time += 60_000;
    await applyFile(store, [...file, model('b')], clock);
    expect((await stored.list('model')).map(({ updatedAt }) => updatedAt - start)).toEqual([0, 60_000]);
  });

  test('a file with thousands of entries can be applied', async () => {
    await applyFile(
      store,
      [upstream('acme'), ...Array.from({ length: 6000 }, (_, index) => model(`m${index}`))],
      clock,
    );
    expect(await names('model')).toHaveLength(6000);
  });

  test('an entry added by command stays when a file is applied, and follows its entries', async () => {
    await applyFile(store, file, clock);
    await stored.add('model', model('extra').spec);
    await applyFile(store, [...file, model('z')], clock);
    expect(await names('model')).toEqual(['large file', 'z file', 'extra store']);
  });

  test('a file that uses the name of a stored entry is rejected as a whole, and the error names both', async () => {
    await applyFile(store, file, clock);
    await stored.add('model', model('extra', { aliases: ['x'] }).spec);
    const conflict = await refusalOf(applyFile(store, [...file, model('new'), model('y', { aliases: ['x'] })], clock));
    expect(conflict.message).toContain('the stored model `extra` uses a name of the file: `x` is already taken by `y`');
    expect(conflict.message).toContain('`chat-gateway models remove extra`');
    expect(await names('model')).toEqual(['large file', 'extra store']);
  });

  test('an added entry must match its schema, and the error lists all problems', async () => {
    await applyFile(store, file, clock);
    const { message, problems } = await refusalOf(
      stored.add('model', { id: 'x', routes: [{ upstream: 'acne' }], thinkng: true }),
    );
    expect(message).toContain('The model `x` is not valid. `price` is missing.');
    expect(problems.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      'price missing',
      'thinkng unknown_name',
      'routes[0].upstream not_configured',
    ]);
    expect(message).toContain('`price: free`');
    expect(message).toContain('Did you mean `thinking`?');
    expect(message).toContain('Did you mean `acme`?');
  });

  test('an added entry must not use a name of the file or the store', async () => {
    await applyFile(store, file, clock);
    await stored.add('model', model('extra').spec);
    for (const taken of [model('large'), model('l'), model('extra'), model('n', { aliases: ['extra'] })]) {
      expect((await refusalOf(stored.add('model', taken.spec))).message).toContain('is already taken by');
    }
    expect((await refusalOf(stored.add('site', site('two', '*').spec))).message).toContain(
      '`*` is already taken by `main`',
    );
    expect((await refusalOf(stored.add('upstream', upstream('acme').spec))).message).toContain(
      '`acme` is already taken',
    );
  });

  test('a problem of another entry does not reject this one', async () => {
    await applyFile(store, [...file, upstream('other')], clock);
    await stored.add('model', model('extra', { routes: [{ upstream: 'other' }] }).spec);
    await applyFile(store, file, clock);
    await stored.add('model', model('fine').spec);
    expect(await names('model')).toEqual(['large file', 'extra store', 'fine store']);
  });

  test('an added upstream must be of a known kind and have an address', async () => {
    expect((await refusalOf(stored.add('upstream', { name: 'a', kind: 'deepsek' }))).message).toContain(
      'Did you mean `deepseek`?',
    );
    expect((await refusalOf(stored.add('upstream', { name: 'a', kind: 'openai' }))).message).toContain(
      '`base_url` is missing',
    );
    const elsewhere = { name: 'a', kind: 'deepseek', proxy: 'http://10.0.0.1:3128', ca_file: '/etc/passwd' };
    expect((await refusalOf(stored.add('upstream', elsewhere))).message).toMatch(
      /`proxy` can only be set in the configuration file\. .*`ca_file` can only/,
    );
  });

  test('literal secrets are stored sealed and references unchanged, and no secret is returned', async () => {
    const secrets = {
      api_keys: ['sk-canary', '${A}'],
      headers: { 'X-Token': 'canary-header', 'X-Other': '${B}' },
    };
    const added = await stored.add('upstream', { ...upstream('a').spec, ...secrets });
    const hidden = { api_keys: ['set', '${A}'], headers: { 'X-Token': 'set', 'X-Other': '${B}' } };
    expect(added.spec).toMatchObject(hidden);
    expect((await stored.show('upstream', 'a')).spec).toEqual(added.spec);
    expect((await stored.list('upstream'))[0]?.spec).toEqual(added.spec);
    const [row] = await readRows(store.db);
    expect(JSON.stringify(row)).not.toContain('canary');
    const [sealed] = row!.spec.api_keys as string[];
    expect(vault.open('upstream a', sealed!)).toEqual({ ok: true, secret: 'sk-canary' });
    expect((await stored.remove('upstream', 'a')).spec).toEqual(added.spec);
  });

  test('every kind of credential is sealed', async () => {
    const account = JSON.stringify({ client_email: 'a@b.example', private_key: 'PRIVATE KEY canary' });
    const keys = { access_key_id: 'AKcanary', secret_access_key: 'canary/1', session_token: 'canary+2' };
    for (const [name, secrets] of [
      ['a', keys],
      ['b', { service_account: account }],
      ['c', { service_account: '${ACCOUNT}' }],
    ] as const) {
      await stored.add('upstream', { name, kind: 'cloud', region: 'us-east-1', ...secrets });
    }
    const rows = (await readRows(store.db)).filter(({ kind }) => kind === 'upstream');
    expect(JSON.stringify(rows)).not.toContain('canary');
    expect(vault.open('upstream b', String(rows[1]!.spec.service_account))).toEqual({ ok: true, secret: account });
    expect(rows[2]!.spec).toMatchObject({ region: 'us-east-1', service_account: '${ACCOUNT}' });
    const { message } = await refusalOf(stored.add('upstream', { name: 'd', kind: 'cloud' }));
    expect(message).toContain('The upstream `d` is not valid.');
  });

  test('a secret is one literal or one reference', async () => {
    for (const secret of [{ api_key: 'sk-canary-${A}' }, { headers: { X: 'Bearer ${A}' } }]) {
      const { message } = await refusalOf(stored.add('upstream', { ...upstream('a').spec, ...secret }));
      expect(message).not.toContain('canary');
      expect(message).toContain('one reference');
    }
  });

  test('a secret that looks like a sealed one is sealed like any other', async () => {
    await stored.add('upstream', { ...upstream('a').spec, api_key: 'enc:v1:a:b:c' });
    const [row] = await readRows(store.db);
    expect(vault.open('upstream a', String(row!.spec.api_key))).toEqual({ ok: true, secret: 'enc:v1:a:b:c' });
  });

  test('an upstream gets another key and keeps its other settings', async () => {
    await stored.add('upstream', { ...upstream('a').spec, api_key: 'sk-old', max_concurrency: 3 });
    time += 60_000;
    const row = await stored.rotateKey('a', ['sk-new', '${B}']);
    expect(row).toMatchObject({ updatedAt: time, spec: { max_concurrency: 3, api_keys: ['set', '${B}'] } });
    const [kept] = await readRows(store.db);
    expect(kept!.spec.api_key).toBeUndefined();
    expect(vault.open('upstream a', (kept!.spec.api_keys as string[])[0]!)).toEqual({ ok: true, secret: 'sk-new' });
    expect(await changes()).toEqual(['catalog a', 'catalog a']);
    expect((await refusalOf(stored.rotateKey('a', ['two words']))).message).toContain('`api_key` must not');
    expect((await refusalOf(stored.rotateKey('b', ['x']))).message).toContain('There is no upstream `b`');
  });

  test('the key of an upstream in the file can be changed only in the file', async () => {
    await applyFile(store, file, clock);
    expect((await refusalOf(stored.rotateKey('acme', ['sk-new']))).message).toContain('`upstreams`');
  });

  test('an entry is shown by name, a model also by alias', async () => {
    await applyFile(store, file, clock);
    expect((await stored.show('model', 'l')).name).toBe('large');
    expect((await refusalOf(stored.show('model', 'lagre'))).message).toBe(
      'There is no model `lagre`. Did you mean `large`?',
    );
  });

  test('an entry of the file cannot be removed by command', async () => {
    await applyFile(store, file, clock);
    const { message } = await refusalOf(stored.remove('model', 'large'));
    expect(message).toContain('configuration file');
    expect(message).toContain('`models`');
    expect(await names('model')).toEqual(['large file']);
  });

  test('an entry that another entry needs cannot be removed', async () => {
    await stored.add('upstream', upstream('acme').spec);
    await stored.add('model', model('large').spec);
    expect((await refusalOf(stored.remove('upstream', 'acme'))).message).toBe(
      'The upstream `acme` is used by `large`. Remove those models first.',
    );
    await stored.add('package', { name: 'gold', models: ['*'] });
    const account = {
      id: 'a',
      name: 'demo',
      package: 'gold',
      status: 'active',
      source: 'store',
      created_at: 0,
    } as const;
    await store.db.insertInto('accounts').values(account).execute();
    expect((await refusalOf(stored.remove('package', 'gold'))).message).toBe(
      'The package `gold` is used by `demo`. Give those accounts another package first.',
    );
    await stored.add('model', model('small', { aliases: ['s'], fallbacks: [{ model: 'large' }] }).spec);
    expect((await refusalOf(stored.remove('model', 'large'))).message).toBe(
      'The model `large` is a fallback of `small`. Remove it from their `fallbacks` first.',
    );
    const circular = model('large', { fallbacks: [{ model: 's' }] }).spec;
    expect((await refusalOf(stored.replace('model', 'large', circular))).message).toContain(
      'forms a cycle: `large` → `small` → `large`',
    );
    await stored.remove('model', 'small');
    await stored.remove('model', 'large');
    await stored.remove('upstream', 'acme');
    expect(await names('upstream')).toEqual([]);
  });

  test('every change is published to all processes, a rejected one is not', async () => {
    await stored.add('upstream', upstream('acme').spec);
    await refusalOf(stored.add('upstream', upstream('acme').spec));
    await stored.remove('upstream', 'acme');
    expect(await changes()).toEqual(['catalog acme', 'catalog acme']);
  });

  test('the version is that of the build until a catalog exists, then the later of the two', async () => {
    expect(await catalogVersion(store.db)).toBe(buildStamp);
    await applyFile(store, file, clock);
    expect(await catalogVersion(store.db)).toBe('20270102-030405');
    await store.db.updateTable('settings').set({ value: '0' }).where('name', '=', 'catalog_changed_at').execute();
    expect(await catalogVersion(store.db)).toBe(buildStamp);
  });

  test('every replica reports the latest build in use as version, and every later change gets a different version', async () => {
    await applyFile(store, file, clock);
    await recordBuild(store.db, '20261231-235959');
    expect(await catalogVersion(store.db)).toBe('20270102-030405');
    await recordBuild(store.db, '20280101-000000');
    await recordBuild(store.db, '20271231-000000');
    expect(await catalogVersion(store.db)).toBe('20280101-000000');
    await stored.add('upstream', upstream('another').spec);
    expect(await catalogVersion(store.db)).toBe('20280101-000001');
  });

  test('the version changes only if the catalog changes', async () => {
    await applyFile(store, file, clock);
    const first = await catalogVersion(store.db);
    time += 60_000;
    await applyFile(
      store,
      [upstream('acme'), site('main', '*'), model('large', { aliases: ['l'], thinking: false })],
      clock,
    );
    expect(await catalogVersion(store.db)).toBe(first);
    const reordered = { kind: 'site', name: 'main', spec: { models: ['*'], domains: ['*'], name: 'main' } } as const;
    await applyFile(store, [upstream('acme'), reordered, model('large', { aliases: ['l'] })], clock);
    expect(await catalogVersion(store.db)).toBe(first);
    await stored.add('model', model('extra').spec);
    const second = await catalogVersion(store.db);
    expect(second).toBe('20270102-030505');
    await stored.remove('model', 'extra');
    expect(await catalogVersion(store.db)).toBe('20270102-030506');
  });

  test('a change of how an upstream is reached does not change the version', async () => {
    await applyFile(store, file, clock);
    time += 60_000;
    const moved = { ...upstream('acme'), spec: { name: 'acme', kind: 'openai', base_url: 'https://x.example' } };
    await applyFile(store, [moved, ...file.slice(1)], clock);
    expect(await catalogVersion(store.db)).toBe('20270102-030405');
    expect(await changes()).toHaveLength(2);
  });

  test('every change gets a later version, even if the clock is behind the build or was set back', async () => {
    time = 0;
    await applyFile(store, file, clock);
    const first = await catalogVersion(store.db);
    await stored.add('model', model('extra').spec);
    const second = await catalogVersion(store.db);
    expect(second > first).toBe(true);
  });
});
