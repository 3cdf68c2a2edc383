import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { callCloud, cloudOf, open, plain, refusalOf } from '../../../test/bridged/call-cloud.ts';
import type { FakeCloud } from '../../../test/bridged/fake-cloud.ts';
import { vertexRecordings } from '../../../test/bridged/vertex.ts';
import { json, type ScriptedReply, sse } from '../../../test/fakes/fake-provider.ts';
import type { GatewayError } from '../../core/gateway-error.ts';

describe('a service account', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

  async function vertexCloud(token: ScriptedReply): Promise<FakeCloud> {
    const cloud = await cloudOf(vertexRecordings, (address) => ({
      api_key: undefined,
      service_account: JSON.stringify({
        client_email: 'robot@project.example',
        private_key_id: 'kid-1',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: `${address}/token`,
      }),
    }));
    cloud.provider.respond('POST /v1/token', token);
    cloud.respond(plain(vertexRecordings));
    return cloud;
  }

  test('gets one token for many requests, with a signed assertion', async () => {
    const cloud = await vertexCloud(json(200, { access_token: 'ya29.token', expires_in: 3600 }));
    await Promise.all([callCloud(cloud, vertexRecordings), callCloud(cloud, vertexRecordings)]);
    await callCloud(cloud, vertexRecordings);
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

  test('requests another token when the last one is about to expire', async () => {
    const cloud = await vertexCloud(json(200, { access_token: 'ya29.short', expires_in: 30 }));
    await callCloud(cloud, vertexRecordings);
    await callCloud(cloud, vertexRecordings);
    expect(cloud.provider.calls.filter(({ path }) => path === '/v1/token')).toHaveLength(2);
  });

  test.each([
    ['is refused', json(400, { error: 'invalid_grant' })],
    ['gets no token', json(200, {})],
    ['gets no answer that is JSON', sse(['no'])],
  ])('that %s causes an upstream failure, and the next call requests a token again', async (_what, token) => {
    const cloud = await vertexCloud(token);
    expect(await refusalOf(open(cloud, vertexRecordings))).toMatchObject({ case: 'upstream-failed' });
    cloud.provider.respond('POST /v1/token', json(200, { access_token: 'ya29.token', expires_in: 3600 }));
    expect(await callCloud(cloud, vertexRecordings)).toMatchObject({ outcome: 'complete' });
  });

  test('keeps its token out of errors', async () => {
    const cloud = await vertexCloud(json(200, { access_token: 'ya29.token', expires_in: 3600 }));
    cloud.respond(json(400, { error: { message: 'the token ya29.token', status: 'INVALID_ARGUMENT' } }));
    const error = (await refusalOf(open(cloud, vertexRecordings))) as GatewayError;
    expect(String(error.cause)).toContain('the token [redacted]');
  });
});
