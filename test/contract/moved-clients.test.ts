import { hash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importKey, importLock } from '../../src/money/accounts/import-key.ts';
import { accounts } from '../../src/money/accounts/accounts.ts';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { eventually } from '../eventually.ts';
import { answer, json } from '../fakes/fake-provider.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from '../fast-path/warm-fast-path.ts';
import { model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

const plain = '127.0.0.1';
const moved = 'moved.example';

let gateway: TestGateway;
beforeAll(async () => {
  watchedFastPath();
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'anthropic', kind: 'anthropic', base_url: provider.url.replace('/v1', ''), api_key: 'k' },
    ],
    models: [
      model('chat'),
      model('embed', { endpoints: ['embeddings'], price: { input: '2', output: '0' } }),
      model('hear', { endpoints: ['transcriptions'], price: { input: '0', output: '0', units: { second: '0.1' } } }),
      model('claude', { routes: [{ upstream: 'anthropic' }] }),
    ],
    sites: [
      { name: 'main', domains: [plain], models: ['*'] },
      {
        name: 'moved',
        domains: [moved],
        models: ['*'],
        key_headers: [
          'x-litellm-api-key',
          'x-bf-vk',
          'api-key',
          'x-goog-api-key',
          'ocp-apim-subscription-key',
          'x-api-key',
        ],
        path_prefixes: ['/api/v1', '/v1', '/'],
        unknown_model_status: 404,
        ignore_fields: ['openrouter', 'litellm', 'team_note'],
      },
    ],
  }));
  gateway.provider.respond('chat', answer('Hello there'));
  gateway.provider.respond('embed', json(200, { object: 'list', data: [], usage: { prompt_tokens: 1 } }));
  gateway.provider.respond('claude', json(200, { input_tokens: 7 }));
  await warmFastPath(gateway, 'chat');
});
afterAll(() => gateway.stop());

interface Sent {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: object | Buffer | undefined;
  readonly agent?: Agent;
}

interface Received {
  readonly status: number | undefined;
  readonly text: string;
  readonly id: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

function send(path: string, { host = moved, method, headers = {}, body, agent }: Sent): Promise<Received> {
  const text = body instanceof Buffer ? body : body && JSON.stringify(body);
  const common = { host, ...(text && { 'content-type': 'application/json', 'content-length': String(text.length) }) };
  return new Promise((resolve, reject) => {
    const options = {
      port: gateway.port,
      path,
      method: method ?? (text ? 'POST' : 'GET'),
      headers: { ...common, ...headers },
    };
    const sent = request({ host: '127.0.0.1', agent: agent ?? false, ...options }, (reply) => {
      const pieces: string[] = [];
      reply.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
      reply.on('end', () => {
        const id = String(reply.headers['x-gateway-request-id']);
        resolve({ status: reply.statusCode, text: pieces.join(''), id, headers: reply.headers });
      });
    });
    sent.on('error', reject).end(text);
  });
}

const bearer = (key = gateway.key) => ({ authorization: `Bearer ${key}` });
const errorOf = ({ text }: Received) => (JSON.parse(text) as { error: { code: string; type: string } }).error;

async function notesOf({ id }: Received) {
  const record = await eventually(async () => {
    const found = await findRequest(gateway.gateway.store, id);
    expect(found).toBeDefined();
    return found;
  });
  return record?.notes;
}

const messages = [{ role: 'user', content: 'hello' }];
const requests: readonly (readonly [path: string, body: object | undefined])[] = [
  ['/v1/chat/completions', { model: 'chat', messages }],
  ['/v1/completions', { model: 'chat', prompt: 'hello' }],
  ['/v1/responses', { model: 'chat', input: 'hello' }],
  ['/v1/responses', { model: 'chat', input: 'hello', stream: true }],
  ['/anthropic/v1/messages', { model: 'chat', messages, max_tokens: 9 }],
  ['/anthropic/v1/messages', { model: 'chat', messages, max_tokens: 9, stream: true }],
  ['/anthropic/v1/messages/count_tokens', { model: 'chat', messages }],
  ['/v1/embeddings', { model: 'embed', input: 'hello' }],
  ['/v1/models', undefined],
  ['/v1/models/chat', undefined],
  ['/v1/user/balance', undefined],
  ['/anthropic/v1/models', undefined],
];

describe('key_headers', () => {
  test.each(requests)('%s %j takes the key from further headers on the site only', async (path, body) => {
    const own = path.startsWith('/anthropic') ? 'x-api-key' : '';
    for (const name of ['api-key', 'X-Goog-Api-Key', 'Ocp-Apim-Subscription-Key', 'x-bf-vk', 'x-api-key']) {
      const headers = { [name]: gateway.key };
      expect((await send(path, { headers, body })).status, name).toBe(200);
      expect((await send(path, { host: plain, headers, body })).status, name).toBe(name === own ? 200 : 401);
    }
    expect((await send(path, { headers: { 'x-litellm-api-key': `Bearer ${gateway.key}` }, body })).status).toBe(200);
    expect((await send(path, { headers: { 'x-portkey-api-key': gateway.key }, body })).status).toBe(401);
  });

  test('the first header of the list decides, before the header of the API', async () => {
    const status = async (headers: Record<string, string | string[]>, host = moved) =>
      (await send('/v1/models', { host, headers })).status;
    expect(await status({ ...bearer(), 'api-key': 'sk-of-another-product' })).toBe(401);
    expect(await status({ ...bearer(), 'api-key': 'sk-of-another-product' }, plain)).toBe(200);
    expect(await status({ ...bearer('other'), 'x-bf-vk': gateway.key, 'api-key': 'other' })).toBe(200);
    expect(await status({ ...bearer(), 'api-key': '' })).toBe(200);
    expect(await status({ 'api-key': [gateway.key, gateway.key] })).toBe(401);
  });

  test('the fast path takes the key from these headers too, and refuses a wrong one', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const chat = (host: string, headers: Record<string, string>) =>
      send('/v1/chat/completions', { host, headers, agent, body: { model: 'chat', messages, stream: true } });
    await eventually(async () => {
      expect((await chat(moved, { 'x-bf-vk': gateway.key })).text).toContain('[DONE]');
      expect(isInFastPath()).toBe(true);
    });
    expect((await chat(moved, { ...bearer(), 'x-bf-vk': 'other' })).status).toBe(401);
    expect((await chat(plain, { 'x-bf-vk': gateway.key })).status).toBe(401);
    expect((await chat(plain, { ...bearer(), 'x-bf-vk': 'other' })).status).toBe(200);
    agent.destroy();
  });

  test('a page of another origin may send these headers', async () => {
    const headers = { origin: 'https://page.example', 'access-control-request-headers': 'x-goog-api-key,content-type' };
    const reply = await send('/v1/chat/completions', { method: 'OPTIONS', headers });
    expect([reply.status, reply.headers['access-control-allow-headers']]).toEqual([204, 'x-goog-api-key,content-type']);
  });
});

describe('path_prefixes', () => {
  test.each([
    ['/api/v1/chat/completions', { model: 'chat', messages }],
    ['/chat/completions', { model: 'chat', messages }],
    ['/completions', { model: 'chat', prompt: 'hello' }],
    ['/embeddings', { model: 'embed', input: 'hello' }],
    ['/api/v1/embeddings', { model: 'embed', input: 'hello' }],
    ['/responses', { model: 'chat', input: 'hello' }],
    ['/models', undefined],
    ['/models/chat', undefined],
    ['/api/v1/models', undefined],
    ['/v1/messages', { model: 'chat', messages, max_tokens: 9 }],
    ['/v1/messages/count_tokens', { model: 'chat', messages }],
    ['/api/v1/messages', { model: 'chat', messages, max_tokens: 9, stream: true }],
  ])('%s is served on the site only', async (path, body) => {
    const headers = { ...bearer(), 'x-api-key': gateway.key };
    expect((await send(path, { headers, body })).status).toBe(200);
    expect((await send(path, { host: plain, headers, body })).status).toBe(404);
  });

  test('errors have the form of the API that the path stands for', async () => {
    const reply = await send('/v1/messages', { body: { model: 'chat', messages, max_tokens: 9 } });
    expect([reply.status, JSON.parse(reply.text)]).toMatchObject([401, { type: 'error', request_id: reply.id }]);
    expect(reply.headers['request-id']).toBe(reply.id);
    const wrongMethod = await send('/api/v1/chat/completions', { headers: bearer() });
    expect([wrongMethod.status, wrongMethod.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
    expect((await send('/api/v1/nothing', { headers: bearer() })).status).toBe(404);
  });

  test('paths of the gateway itself keep their meaning', async () => {
    for (const path of ['/healthz', '/openapi.json', '/admin/v1/keys', '/api/v2/models']) {
      const [there, here] = [await send(path, {}), await send(path, { host: plain })];
      expect([path, there.status]).toEqual([path, here.status]);
    }
  });
});

describe('unknown_model_status', () => {
  test.each([
    ['/v1/chat/completions', { model: 'gone', messages }],
    ['/v1/responses', { model: 'gone', input: 'hello' }],
    ['/anthropic/v1/messages', { model: 'gone', messages, max_tokens: 9 }],
    ['/v1/embeddings', { model: 'gone', input: 'hello' }],
    ['/v1/models/gone', undefined],
  ])('%s answers 404 with the same body on the site, and 403 elsewhere', async (path, body) => {
    const headers = { ...bearer(), 'x-api-key': gateway.key };
    const there = await send(path, { headers, body });
    const here = await send(path, { host: plain, headers, body });
    expect([there.status, here.status]).toEqual([404, 403]);
    expect(errorOf(there)).toMatchObject({ code: 'access_denied', type: 'gateway_error' });
    const message = ({ text, id }: Received) => text.replaceAll(id, 'ID');
    expect(message(there)).toBe(message(here));
  });
});

describe('ignore_fields', () => {
  const fields = { provider: { order: ['a'] }, num_retries: 2, team_note: 'x', metadata: { team: 'search' } };

  test.each([
    ['/v1/chat/completions', { model: 'chat', messages, stream: true }],
    ['/v1/completions', { model: 'chat', prompt: 'hello' }],
    ['/v1/responses', { model: 'chat', input: 'hello' }],
    ['/anthropic/v1/messages', { model: 'chat', messages, max_tokens: 9 }],
  ])('%s removes the fields on the site, and notes it in the record', async (path, body) => {
    const reply = await send(path, {
      headers: { ...bearer(), 'x-api-key': gateway.key },
      body: { ...body, ...fields },
    });
    expect(reply.status, reply.text).toBe(200);
    expect(JSON.parse(gateway.provider.calls.at(-1)!.text)).not.toMatchObject({ provider: expect.anything() });
    expect(await notesOf(reply)).toContain('fields that the site ignores: provider, num_retries, team_note');
  });

  test('embeddings reach the provider without the fields, and otherwise unchanged', async () => {
    const body = { model: 'embed', input: 'hello', dimensions: 64, ...fields };
    const reply = await send('/v1/embeddings', { headers: bearer(), body });
    expect(reply.status, reply.text).toBe(200);
    const { text: forwarded } = gateway.provider.calls.at(-1)!;
    expect(JSON.parse(forwarded)).toEqual({
      model: 'embed',
      input: 'hello',
      dimensions: 64,
      metadata: { team: 'search' },
    });
  });

  test('compaction and the count of tokens reach the provider without them', async () => {
    const input = [{ type: 'message', role: 'user', content: 'hello' }];
    const headers = { ...bearer(), 'x-api-key': gateway.key };
    for (const [path, body] of [
      ['/v1/responses/compact', { model: 'chat', input }],
      ['/anthropic/v1/messages/count_tokens', { model: 'claude', messages }],
    ] as const) {
      const reply = await send(path, { headers, body: { ...body, ...fields } });
      expect([path, reply.status], reply.text).toEqual([path, 200]);
      if (!path.endsWith('input_tokens'))
        expect(gateway.provider.calls.at(-1)!.text).not.toMatch(/num_retries|team_note/);
    }
    expect(gateway.provider.calls.at(-1)?.path).toBe('/v1/messages/count_tokens');
  });

  test('form data reaches the provider without the parts, and otherwise unchanged', async () => {
    gateway.provider.respond('POST /v1/audio/transcriptions', json(200, { text: 'hi', duration: 1 }));
    const form = new FormData();
    form.set('provider', '{"order":["a"]}');
    form.set('file', new Blob([Buffer.alloc(40, 1)]), 'a.mp3');
    form.set('num_retries', '2');
    form.set('model', 'hear');
    form.set('language', 'en');
    form.set('team_note', 'x');
    const body = new Response(form);
    const reply = await send('/v1/audio/transcriptions', {
      headers: { ...bearer(), 'content-type': body.headers.get('content-type')! },
      body: Buffer.from(await body.arrayBuffer()),
    });
    expect(reply.status, reply.text).toBe(200);
    const { text: forwarded } = gateway.provider.calls.at(-1)!;
    expect([...forwarded.matchAll(/name="(\w+)"/g)].map(([, name]) => name)).toEqual(['file', 'model', 'language']);
    expect(forwarded).toContain('\r\n\r\nen\r\n--');
    expect(await notesOf(reply)).toContain('fields that the site ignores: provider, num_retries, team_note');
  });

  test('other sites forward them, and requests without them stay in the fast path', async () => {
    const body = { model: 'chat', messages, stream: true };
    const elsewhere = await send('/v1/chat/completions', {
      host: plain,
      headers: bearer(),
      body: { ...body, ...fields },
    });
    expect(JSON.parse(gateway.provider.calls.at(-1)!.text)).toMatchObject({
      provider: { order: ['a'] },
      team_note: 'x',
    });
    expect((await notesOf(elsewhere))?.join()).not.toContain('ignores');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await eventually(async () => {
      expect((await send('/v1/chat/completions', { headers: bearer(), body, agent })).status).toBe(200);
      expect(isInFastPath()).toBe(true);
    });
    const slow = await send('/v1/chat/completions', { headers: bearer(), body: { ...body, route: 'x' }, agent });
    expect([slow.status, isInFastPath()]).toEqual([200, false]);
    agent.destroy();
  });
});

test('a client with its old key and only another host gets an answer, and its digest is no key', async () => {
  const { store, pepper } = gateway.gateway;
  const [key, unused] = ['sk-1FLbJU9fNbmqDG3mhVfkJA', 'sk-2FLbJU9fNbmqDG3mhVfkJA'];
  const account = await accounts(store, systemClock).find('tester');
  const parts = { clock: systemClock, pepper };
  const digestOf = (secret: string) => hash('sha256', secret, 'hex');
  await store.transaction(async (tx) => {
    for (const [name, secret] of Object.entries({ key, unused })) {
      const foreign = { scheme: 'sha256', sha256: digestOf(secret) } as const;
      await importKey(tx, parts, { accountId: account!.id, name }, foreign);
    }
  }, importLock);
  const body = { model: 'chat', messages, stream: true };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await eventually(async () => {
    expect((await send('/chat/completions', { headers: bearer(key), body })).text).toContain('[DONE]');
    expect((await send('/v1/chat/completions', { host: plain, headers: bearer(key), body, agent })).status).toBe(200);
    expect(isInFastPath()).toBe(true);
  });
  // The store has only the digest of the key that is not used yet.
  for (const secret of [digestOf(unused), digestOf(key), `${key}-3`, key.slice(3)]) {
    expect((await send('/chat/completions', { headers: bearer(secret), body })).status).toBe(401);
  }
  agent.destroy();
});
