import { generateKeyPairSync, verify } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { chatRequest, type Heard, listen, said } from '../../../test/ask-upstream.ts';
import { endings, gate, hang, json, type Reply, sse } from '../../../test/fake-provider.ts';
import { KeepingSink } from '../../../test/flows.ts';
import type { ChatRequest } from '../../core/chat-request.ts';
import type { EventFlow } from '../../core/event-flow.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { azureRecordings } from './fixtures/azure.ts';
import { bedrockRecordings } from './fixtures/bedrock.ts';
import { cohereRecordings } from './fixtures/cohere.ts';
import { type FakeCloud, fakeCloud, inPieces } from './fixtures/fake-cloud.ts';
import { googleRecordings } from './fixtures/google.ts';
import { mistralRecordings } from './fixtures/mistral.ts';
import type { Recordings } from './fixtures/recording.ts';
import { allRecordings } from './fixtures/recordings.ts';
import { vertexRecordings } from './fixtures/vertex.ts';

const closing: FakeCloud[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const cloud of closing.splice(0)) await cloud.close();
});

async function cloudOf(recordings: Recordings, changes: Record<string, unknown> = {}): Promise<FakeCloud> {
  const cloud = await fakeCloud(recordings, () => changes);
  closing.push(cloud);
  return cloud;
}

interface Asking {
  readonly request?: ChatRequest;
  readonly thinking?: boolean;
  readonly maxOutputTokens?: number;
  readonly signal?: AbortSignal;
  readonly model?: string;
}

function open(cloud: FakeCloud, recordings: Recordings, asking: Asking = {}): Promise<EventFlow> {
  const { request = chatRequest(), thinking = false, maxOutputTokens, signal = new AbortController().signal } = asking;
  const { model = recordings.model } = asking;
  return cloud.upstream.open({ model, thinking, maxOutputTokens, request }, signal);
}

async function ask(cloud: FakeCloud, recordings: Recordings, asking: Asking = {}): Promise<Heard> {
  return listen(await open(cloud, recordings, asking));
}

function refusalOf(opening: Promise<unknown>): Promise<unknown> {
  return opening.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function plain({ scenarios: { plain: recording }, contentType }: Recordings): Reply {
  return inPieces(recording.bytes, contentType, []);
}

/** The beginning of an answer that never goes on. */
function halting({ errorDuring, contentType }: Recordings): Reply {
  const half = errorDuring.bytes.subarray(0, errorDuring.bytes.length - 60);
  return async (writer) => {
    writer.head(200, { 'content-type': contentType });
    await writer.body(half);
    await new Promise(() => {});
  };
}

describe.each(allRecordings.map((recordings) => [recordings.kind, recordings] as const))('%s', (_kind, recordings) => {
  test('closes the socket when the reader leaves, who hears nothing more', async () => {
    const cloud = await cloudOf(recordings);
    cloud.respond(halting(recordings));
    const flow = await open(cloud, recordings);
    const sink = new KeepingSink();
    flow.start(sink);
    await expect.poll(() => sink.batches.length).toBe(1);
    flow.cancel();
    await cloud.provider.call(cloud.key).aborted;
    await cloud.provider.drained();
    expect(sink).toMatchObject({ batches: [[{ type: 'text-delta', text: 'Hel' }]], endings: [] });
  });

  test('fails with the reason when the request is aborted, before its answer and during it', async () => {
    const cloud = await cloudOf(recordings);
    cloud.respond(hang(), halting(recordings));
    const reason = new Error('enough');
    const early = new AbortController();
    const refused = refusalOf(open(cloud, recordings, { signal: early.signal }));
    await cloud.provider.call(cloud.key).received;
    early.abort(reason);
    expect(await refused).toBe(reason);
    const late = new AbortController();
    const flow = await open(cloud, recordings, { signal: late.signal });
    const heard = listen(flow, () => late.abort(reason));
    expect(await heard).toMatchObject({ outcome: 'failed', error: reason });
    await cloud.provider.drained();
  });

  test('gives up a provider that says nothing, and one that stops', async () => {
    const timeouts = { connect: '2s', first_event: '300ms', idle: '100ms', total: '5s' };
    const cloud = await cloudOf(recordings, { timeouts });
    cloud.respond(hang(), halting(recordings));
    expect(await refusalOf(open(cloud, recordings))).toMatchObject({ case: 'upstream-timeout' });
    expect(await ask(cloud, recordings)).toMatchObject({ outcome: 'failed', error: { case: 'upstream-timeout' } });
    await cloud.provider.drained();
  });

  test('hands on what one read brought as one batch, and uses the connection again', async () => {
    const cloud = await cloudOf(recordings);
    cloud.respond(plain(recordings));
    expect((await ask(cloud, recordings)).batches.length).toBeLessThanOrEqual(2);
    await ask(cloud, recordings);
    expect(cloud.provider.connections.accepted).toBe(1);
  });

  test('looks for nothing in the environment', async () => {
    for (const name of ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_SESSION_TOKEN', 'GOOGLE_VERTEX_API_KEY', 'AZURE_API_KEY']) {
      vi.stubEnv(name, 'canary-of-the-environment');
    }
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    const cloud = await cloudOf(recordings);
    cloud.respond(plain(recordings));
    expect(await ask(cloud, recordings)).toMatchObject({ outcome: 'complete' });
    const { headers } = await cloud.provider.call(cloud.key).received;
    expect(JSON.stringify(headers)).not.toContain('canary');
    expect(headers).toMatchObject({ 'user-agent': 'chat-gateway', 'content-type': 'application/json' });
  });

  test('repeats no secret of ours in an error', async () => {
    const cloud = await cloudOf(recordings, { headers: { 'X-Team': 'canary-header' } });
    cloud.respond((writer, call) => json(400, { message: JSON.stringify(call.headers) })(writer, call));
    const error = (await refusalOf(open(cloud, recordings))) as GatewayError;
    const told = `${error.message} ${String(error.cause)}`;
    expect(told).toContain('[redacted]');
    const secrets = [...Object.values(recordings.settings), 'canary-header'].filter((value) => value !== 'us-east-1');
    for (const secret of secrets) expect(told).not.toContain(secret);
  });
});

const cohereEnd = {
  type: 'message-end',
  delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 1, output_tokens: 1 } } },
};

test('a reader that stops reading stops the provider', async () => {
  const cloud = await cloudOf(cohereRecordings);
  const words = 'x'.repeat(10_000);
  const total = 2000;
  const piece = { type: 'content-delta', index: 0, delta: { message: { content: { type: 'text', text: words } } } };
  cloud.respond(sse([...Array.from({ length: total }, () => piece), cohereEnd]));
  const flow = await open(cloud, cohereRecordings);
  const call = await cloud.provider.call(cloud.key).received;
  let characters = 0;
  const over = listen(flow, (batch) => {
    for (const event of batch) if (event.type === 'text-delta') characters += event.text.length;
  });
  flow.pause();
  let last = -1;
  await expect
    .poll(
      () => {
        const isSame = call.sentBytes === last && last > 0;
        last = call.sentBytes;
        return isSame;
      },
      { interval: 100 },
    )
    .toBe(true);
  expect(call.sentBytes).toBeLessThan((total * words.length) / 2);
  flow.resume();
  expect(await over).toMatchObject({ outcome: 'complete' });
  expect(characters).toBe(total * words.length);
});

test('an event without end does not fill the memory', async () => {
  const cloud = await cloudOf(mistralRecordings);
  cloud.respond(async (writer) => {
    writer.head(200, { 'content-type': 'text/event-stream' });
    for (let count = 0; count < 40 && !writer.isClosed; count += 1) await writer.body('y'.repeat(1024 * 1024));
    await new Promise(() => {});
  });
  const error = (await ask(cloud, mistralRecordings)).error as GatewayError;
  expect(error).toMatchObject({ case: 'upstream-failed', cause: { message: expect.stringContaining('larger than') } });
});

test('keys are used in turn', async () => {
  const cloud = await cloudOf(cohereRecordings, { api_key: undefined, api_keys: ['first', 'second'] });
  cloud.respond(plain(cohereRecordings));
  for (let count = 0; count < 3; count += 1) await ask(cloud, cohereRecordings);
  const keys = cloud.provider.calls.map(({ headers }) => headers['authorization']);
  expect(keys).toEqual(['Bearer first', 'Bearer second', 'Bearer first']);
});

test('a header of the file goes up, and replaces ours', async () => {
  const cloud = await cloudOf(googleRecordings, { headers: { 'User-Agent': 'acme/1', 'X-Team': 'blue' } });
  cloud.respond(plain(googleRecordings));
  await ask(cloud, googleRecordings);
  const { headers } = await cloud.provider.call(cloud.key).received;
  expect(headers).toMatchObject({ 'x-team': 'blue', 'x-goog-api-key': 'AIzaFixture' });
  expect(headers['user-agent']).toContain('acme/1');
});

test('requests to Bedrock are signed, or carry the key', async () => {
  const signed = await cloudOf(bedrockRecordings, { session_token: 'temporary' });
  signed.respond(plain(bedrockRecordings));
  await ask(signed, bedrockRecordings);
  const { headers } = await signed.provider.call(signed.key).received;
  expect(headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=\S*host\S*, Signature=[0-9a-f]{64}$/,
  );
  expect(headers['x-amz-security-token']).toBe('temporary');
  const keyed = await cloudOf(bedrockRecordings, {
    access_key_id: undefined,
    secret_access_key: undefined,
    api_key: 'bedrock-key',
  });
  keyed.respond(plain(bedrockRecordings));
  await ask(keyed, bedrockRecordings);
  const call = await keyed.provider.call(keyed.key).received;
  expect(call.headers['authorization']).toBe('Bearer bedrock-key');
});

test('an older version of the Azure API names the deployment in the address', async () => {
  const cloud = await cloudOf(azureRecordings, { api_version: '2024-10-21' });
  cloud.respond(plain(azureRecordings));
  await ask(cloud, azureRecordings);
  const { path, headers } = await cloud.provider.call(cloud.key).received;
  expect(path).toBe('/v1/deployments/my-deployment/chat/completions?api-version=2024-10-21');
  expect(headers['api-key']).toBe('azure-fixture-key');
});

describe('a service account', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

  async function vertexCloud(token: Reply): Promise<FakeCloud> {
    const cloud = await fakeCloud(vertexRecordings, (address) => ({
      api_key: undefined,
      service_account: JSON.stringify({
        client_email: 'robot@project.example',
        private_key_id: 'kid-1',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: `${address}/token`,
      }),
    }));
    closing.push(cloud);
    cloud.provider.respond('POST /v1/token', token);
    cloud.respond(plain(vertexRecordings));
    return cloud;
  }

  test('gets one token for many requests, by a proof that it has the key', async () => {
    const cloud = await vertexCloud(json(200, { access_token: 'ya29.token', expires_in: 3600 }));
    await Promise.all([ask(cloud, vertexRecordings), ask(cloud, vertexRecordings)]);
    await ask(cloud, vertexRecordings);
    const tokens = cloud.provider.calls.filter(({ path }) => path === '/v1/token');
    expect(tokens).toHaveLength(1);
    const form = new URLSearchParams(tokens[0]?.text);
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decoded(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'kid-1' });
    expect(decoded(claims)).toMatchObject({ iss: 'robot@project.example', aud: `${cloud.provider.url}/token` });
    const signed = Buffer.from(`${head}.${claims}`);
    expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    const { headers } = await cloud.provider.call(cloud.key).received;
    expect(headers['authorization']).toBe('Bearer ya29.token');
    expect(headers).not.toHaveProperty('x-goog-api-key');
  });

  test('asks for another token when the last one is about to expire', async () => {
    const cloud = await vertexCloud(json(200, { access_token: 'ya29.short', expires_in: 30 }));
    await ask(cloud, vertexRecordings);
    await ask(cloud, vertexRecordings);
    expect(cloud.provider.calls.filter(({ path }) => path === '/v1/token')).toHaveLength(2);
  });

  test.each([
    ['is refused', json(400, { error: 'invalid_grant' })],
    ['gets no token', json(200, {})],
    ['gets no answer that is JSON', sse(['no'])],
  ])('that %s is our trouble, not the client’s, and is asked about again', async (_what, token) => {
    const cloud = await vertexCloud(token);
    expect(await refusalOf(open(cloud, vertexRecordings))).toMatchObject({ case: 'upstream-failed' });
    cloud.provider.respond('POST /v1/token', json(200, { access_token: 'ya29.token', expires_in: 3600 }));
    expect(await ask(cloud, vertexRecordings)).toMatchObject({ outcome: 'complete' });
  });

  test('keeps its token out of errors', async () => {
    const cloud = await vertexCloud(json(200, { access_token: 'ya29.token', expires_in: 3600 }));
    cloud.respond(json(400, { error: { message: 'the token ya29.token', status: 'INVALID_ARGUMENT' } }));
    const error = (await refusalOf(open(cloud, vertexRecordings))) as GatewayError;
    expect(String(error.cause)).toContain('the token [redacted]');
  });
});

test('an upstream that may reach public addresses only does not reach this machine', async () => {
  const { upstreamSchema, upstreamSpec } = await import('../../config/upstream.ts');
  const { openUpstream } = await import('../open-upstream.ts');
  const { systemClock } = await import('../../core/clock.ts');
  const cloud = await cloudOf(cohereRecordings);
  const entry = { name: 'stored', kind: 'cohere', base_url: cloud.provider.url, api_key: 'k' };
  const spec = { ...upstreamSpec(upstreamSchema.parse(entry)), egressAllow: [] };
  const upstream = openUpstream(spec, { clock: systemClock, newId: () => 'id' });
  const call = { model: 'command', thinking: false, request: chatRequest() };
  const error = await refusalOf(upstream.open(call, new AbortController().signal));
  expect(error).toMatchObject({
    case: 'upstream-failed',
    cause: { message: expect.stringContaining('is not a public address') },
  });
  expect(cloud.provider.connections.accepted).toBe(0);
});

test('a provider that cannot be reached has failed', async () => {
  const cloud = await cloudOf(mistralRecordings);
  await cloud.provider.close();
  expect(await refusalOf(open(cloud, mistralRecordings))).toMatchObject({ case: 'upstream-failed' });
});

test('what a package says about a request goes into its record, at the end', async () => {
  const cloud = await cloudOf(azureRecordings);
  cloud.respond(plain(azureRecordings));
  const { events } = await ask(cloud, azureRecordings, { thinking: true, request: chatRequest({ temperature: 0.5 }) });
  expect(events.at(-3)).toEqual({
    type: 'anomaly',
    what: 'temperature: temperature is not supported for reasoning models',
  });
});

test('a conversation a package refuses is refused to the client, and never sent', async () => {
  const cloud = await cloudOf(bedrockRecordings);
  const request = chatRequest({
    messages: [{ role: 'user', content: [{ type: 'image', source: { mediaType: 'image/tiff', data: 'AAAA' } }] }],
  });
  const error = await refusalOf(open(cloud, bedrockRecordings, { request }));
  expect(error).toMatchObject({ case: 'invalid-request', detail: expect.stringContaining('image/tiff') });
  expect(cloud.provider.calls).toEqual([]);
});

test('a Claude that thinks by itself is told an effort, and one that must call a tool is not told to think', async () => {
  const cloud = await cloudOf(bedrockRecordings);
  const model = 'us.anthropic.claude-opus-4-6-v1';
  const key = `POST /v1/model/${model}/converse-stream`;
  cloud.provider.respond(key, plain(bedrockRecordings));
  const tools = [{ name: 't', description: undefined, parameters: undefined }];
  for (const changes of [{ effort: 'max' }, { tools, toolChoice: 'required' }] as const) {
    await ask(cloud, bedrockRecordings, {
      thinking: true,
      model,
      request: chatRequest({ maxTokens: 900, ...changes }),
    });
  }
  const [free, forced] = cloud.provider.calls.map(({ body }) => body);
  expect(free).toMatchObject({
    inferenceConfig: { maxTokens: 900 },
    additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
  });
  expect(forced).not.toHaveProperty('additionalModelRequestFields');
});

test('a Claude that cannot verify its last thoughts goes on without thinking', async () => {
  const cloud = await cloudOf(bedrockRecordings);
  cloud.respond(plain(bedrockRecordings));
  const messages = [
    said('user', 'Go'),
    { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 't', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'c', content: [{ type: 'text', text: 'done' }], isError: false },
  ] as const;
  const tools = [{ name: 't', description: undefined, parameters: undefined }];
  await ask(cloud, bedrockRecordings, { thinking: true, request: chatRequest({ messages, tools, maxTokens: 8000 }) });
  const { body } = await cloud.provider.call(cloud.key).received;
  expect(body).not.toHaveProperty('additionalModelRequestFields');
  expect(body).toMatchObject({ inferenceConfig: { maxTokens: 8000 } });
});

test('Gemini gets the documented placeholder for a signature nobody has', async () => {
  const cloud = await cloudOf(googleRecordings);
  cloud.respond(plain(googleRecordings));
  const messages = [
    said('user', 'Go'),
    { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 't', arguments: '' }] },
    { role: 'tool', toolCallId: 'c', content: [{ type: 'text', text: 'done' }], isError: false },
  ] as const;
  await ask(cloud, googleRecordings, { request: chatRequest({ messages }) });
  const { body } = await cloud.provider.call(cloud.key).received;
  expect(body).toMatchObject({
    contents: [
      {},
      { parts: [{ functionCall: { name: 't', args: {} }, thoughtSignature: 'skip_thought_signature_validator' }] },
      {},
    ],
  });
});

test('an answer that hangs after its beginning leaves nothing behind when the upstream is closed', async () => {
  const cloud = await cloudOf(cohereRecordings);
  const held = gate();
  const begin = { type: 'content-delta', index: 0, delta: { message: { content: { type: 'text', text: 'Hi' } } } };
  cloud.respond(sse([begin, held.opened, cohereEnd, endings.hang]));
  const flow = await open(cloud, cohereRecordings);
  cloud.upstream.close();
  const over = listen(flow, () => held.open());
  expect(await Promise.race([over, cloud.provider.drained().then(() => 'drained')])).not.toBe('drained');
  flow.cancel();
  await cloud.provider.drained();
});
