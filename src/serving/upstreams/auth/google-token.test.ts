import { generateKeyPairSync, verify } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { callUpstream } from '../../../../test/call-upstream.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { answer, fakeProvider, hang, json, type ScriptedReply, sse } from '../../../../test/fakes/fake-provider.ts';
import { upstreamSchema, upstreamSpec } from '../../../platform/config/schema/upstream.ts';
import type { GatewayError } from 'chat-formats/gateway-error.ts';
import { openUpstream } from '../open-upstream.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** An upstream of Vertex AI with a service account, whose token endpoint gives these replies. */
async function vertex(...tokens: readonly ScriptedReply[]) {
  const provider = await fakeProvider();
  const clock = manualClock();
  const entry = {
    name: 'cloud',
    kind: 'vertex',
    base_url: provider.url,
    service_account: JSON.stringify({
      client_email: 'robot@project.example',
      private_key_id: 'kid-1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      token_uri: `${provider.url}/token`,
    }),
  };
  const upstream = openUpstream(upstreamSpec(upstreamSchema.parse(entry)), { clock, newId: () => 'id' });
  closing.push(async () => {
    upstream.close();
    await provider.close();
  });
  provider.respond('POST /v1/token', ...tokens);
  provider.respond('google/gemini', answer('Hello'));
  const tokenCalls = () => provider.calls.filter(({ path }) => path === '/v1/token');
  return { provider, clock, upstream, tokenCalls, call: () => callUpstream(upstream, 'gemini') };
}

const token = json(200, { access_token: 'ya29.token', expires_in: 3600 });

test('a service account gets one token for many requests, with a signed assertion', async () => {
  const { provider, tokenCalls, call } = await vertex(token);
  await Promise.all([call(), call()]);
  expect(await call()).toMatchObject({ outcome: 'complete', text: 'Hello' });
  expect(tokenCalls()).toHaveLength(1);
  const form = new URLSearchParams(tokenCalls()[0]?.text);
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(decoded(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'kid-1' });
  expect(decoded(claims)).toMatchObject({ iss: 'robot@project.example', aud: `${provider.url}/token` });
  const signed = Buffer.from(`${head}.${claims}`);
  expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  const { headers } = await provider.call('google/gemini').received;
  expect(headers['authorization']).toBe('Bearer ya29.token');
});

test('a token is renewed a minute before it expires', async () => {
  const { clock, tokenCalls, call } = await vertex(token);
  await call();
  clock.advance(3_539_000);
  await call();
  expect(tokenCalls()).toHaveLength(1);
  clock.advance(1000);
  await call();
  expect(tokenCalls()).toHaveLength(2);
});

test.each([
  ['is refused', json(400, { error: 'invalid_grant' })],
  ['gets no token', json(200, {})],
  ['gets no answer that is JSON', sse(['no'])],
])('an account that %s causes an upstream failure, and the next request asks again', async (_what, refused) => {
  const { call } = await vertex(refused, token);
  const failed = await call();
  expect(failed).toMatchObject({ outcome: 'refused', error: { case: 'upstream-failed' } });
  expect(String((failed.error as GatewayError).cause)).toContain('upstream cloud');
  expect(await call()).toMatchObject({ outcome: 'complete' });
});

test('a token is kept out of errors', async () => {
  const { provider, call } = await vertex(token);
  provider.respond('google/gemini', json(400, { error: { message: 'the token ya29.token' } }));
  const { error } = await call();
  expect(String((error as GatewayError).cause)).toContain('the token [redacted]');
});

test('a request that is aborted while it waits for a token fails with the reason', async () => {
  const { provider, upstream } = await vertex(hang());
  const aborting = new AbortController();
  const calling = callUpstream(upstream, 'gemini', undefined, aborting.signal);
  await provider.call('POST /v1/token').received;
  const reason = new Error('the client left');
  aborting.abort(reason);
  expect(await calling).toMatchObject({ outcome: 'refused', error: reason });
});
