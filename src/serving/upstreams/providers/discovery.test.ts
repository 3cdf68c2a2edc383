import { afterEach, describe, expect, test } from 'vitest';
import {
  type FakeProvider,
  fakeProvider,
  hang,
  json,
  type ScriptedReply,
  reset,
  text,
} from '../../../../test/fakes/fake-provider.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { discover, type DiscoveryOptions } from './discovery.ts';
import type { Preset } from './preset.ts';

const closing: FakeProvider[] = [];
afterEach(async () => {
  for (const provider of closing.splice(0)) await provider.close();
});

async function listing(reply: ScriptedReply): Promise<FakeProvider> {
  const provider = await fakeProvider();
  provider.respond('GET /v1/models', reply);
  closing.push(provider);
  return provider;
}

function preset(baseUrl: string, changes: Partial<Preset> = {}): Preset {
  return {
    name: 'acme',
    title: 'Acme',
    baseUrl,
    environment: ['ACME_KEY', 'ACME_TOKEN'],
    wireFormat: 'chat-completions',
    quirks: {},
    ...changes,
  };
}

const local = { name: 'near', environment: [] };
const find = (presets: readonly Preset[], options: Partial<DiscoveryOptions> = {}) =>
  discover({ env: { ACME_KEY: 'key-of-acme' }, clock: manualClock(), presets, ...options });

describe('discovery', () => {
  test('finds a provider whose credential is in the environment, and its chat models', async () => {
    const data = [
      { id: 'large', owned_by: 'acme', context_length: 8192 },
      { id: 'text-embedding-3-small' },
      { id: 'whisper-1' },
      { id: 7 },
      { id: 'painter', type: 'image' },
    ];
    const provider = await listing(json(200, { object: 'list', data }));
    const models = [{ id: 'large', ownedBy: 'acme', contextWindow: 8192 }];
    expect(await find([preset(provider.url)])).toEqual({
      found: [{ preset: 'acme', baseUrl: provider.url, apiKeyEnv: 'ACME_KEY', models }],
      missed: [],
    });
    expect(provider.calls[0]?.headers).toMatchObject({ authorization: 'Bearer key-of-acme' });
  });

  test('uses the first variable that is not empty', async () => {
    const provider = await listing(json(200, { data: [{ id: 'm' }] }));
    const { found } = await find([preset(provider.url)], { env: { ACME_KEY: ' ', ACME_TOKEN: ' other \n' } });
    expect(found).toMatchObject([{ apiKeyEnv: 'ACME_TOKEN' }]);
    expect(provider.calls[0]?.headers).toMatchObject({ authorization: 'Bearer other' });
  });

  test('sends no request to a provider without a credential', async () => {
    const provider = await listing(json(200, { data: [{ id: 'm' }] }));
    expect(await find([preset(provider.url)], { env: {} })).toEqual({ found: [], missed: [] });
    expect(provider.connections.accepted).toBe(0);
  });

  test('sends the headers of the preset', async () => {
    const provider = await listing(json(200, [{ id: 'models/gem' }]));
    const way = { keyHeader: 'x-api-key', headers: { 'a-version': '1' }, idPrefix: 'models/' };
    expect(await find([preset(provider.url, { listing: way })])).toMatchObject({
      found: [{ models: [{ id: 'gem' }] }],
    });
    expect(provider.calls[0]?.headers).toMatchObject({ 'x-api-key': 'key-of-acme', 'a-version': '1' });
    expect(provider.calls[0]?.headers).not.toHaveProperty('authorization');
  });

  test('uses the path of the preset if it has one', async () => {
    const provider = await listing(json(404, {}));
    provider.respond('GET /v0/models?endpoint=chat', json(200, { models: [{ name: 'command' }] }));
    const way = { path: '../v0/models?endpoint=chat' };
    const { found } = await find([preset(provider.url, { listing: way })]);
    expect(found).toMatchObject([{ models: [{ id: 'command' }] }]);
  });

  test('leaves out a preset if another preset uses the same key', async () => {
    const provider = await listing(json(200, { data: [{ id: 'm' }] }));
    expect(await find([preset(provider.url, { isEnabledByKey: false })])).toEqual({ found: [], missed: [] });
  });

  test('finds a program on a local port, which needs no credential', async () => {
    const provider = await listing(json(200, { data: [{ id: 'm', meta: { n_ctx_train: 4096 } }] }));
    const { found } = await find([preset(provider.url, local)]);
    expect(found).toEqual([
      { preset: 'near', baseUrl: provider.url, models: [{ id: 'm', ownedBy: undefined, contextWindow: 4096 }] },
    ]);
  });

  test.each([
    ['is closed', reset()],
    ['belongs to something else', text(200, 'text/html', '<h1>Hi</h1>')],
    ['requires a password', json(401, {})],
  ])('ignores a local port that %s', async (_what, reply) => {
    const provider = await listing(reply);
    expect(await find([preset(provider.url, local)])).toEqual({ found: [], missed: [] });
  });

  test.each([
    ['by its header', json(200, { data: [{ id: 'm' }] }, { 'x-gateway-version': '20260101-000000' })],
    ['by its list', json(200, { object: 'list', data: [{ id: 'm' }], success: true })],
  ])('does not use a gateway like this one as a provider: recognises it %s', async (_how, reply) => {
    const provider = await listing(reply);
    expect(await find([preset(provider.url, local)])).toEqual({ found: [], missed: [] });
  });

  test.each([
    ['refuses the credential', json(401, { error: { message: 'bad key-of-acme' } }), /answered with 401/],
    ['breaks off', reset(), /connection closed|ECONNRESET/],
    ['lists nothing', json(200, { data: [] }), /no chat models/],
    ['lists something else', text(200, 'text/html', '<h1>Hi</h1>'), /not a list/],
    ['redirects', json(302, {}, { location: 'http://127.0.0.1:1/' }), /answered with 302/],
  ])('reports why a provider that %s cannot be used', async (_what, reply, reason) => {
    const provider = await listing(reply);
    const { found, missed } = await find([preset(provider.url)]);
    expect(found).toEqual([]);
    expect(missed).toEqual([{ preset: 'acme', reason: expect.stringMatching(reason) }]);
    expect(JSON.stringify(missed)).not.toContain('key-of-acme');
  });

  test('does not wait for a provider that hangs, and checks all providers in parallel', async () => {
    const silent = await listing(hang());
    const slow = Array.from({ length: 10 }, () => preset(silent.url));
    const clock = manualClock();
    const finding = find(slow, { clock, fetchTimeoutMs: 100 });
    await expect.poll(() => silent.calls.length, { message: 'requests that reached the provider' }).toBe(10);
    clock.advance(100);
    expect((await finding).missed.length).toBe(10);
    await silent.drained();
  });

  test('does not throw for a credential that is not a valid header value', async () => {
    const provider = await listing(json(200, { data: [] }));
    const { missed } = await find([preset(provider.url)], { env: { ACME_KEY: 'schlüssel' } });
    expect(missed).toMatchObject([{ preset: 'acme' }]);
    expect(JSON.stringify(missed)).not.toContain('schlüssel');
  });
});
