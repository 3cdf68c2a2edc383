import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local OpenID Connect provider that signs in the person of the test. */
export interface FakeOidc {
  readonly issuer: string;
  /** The person who signs in next. */
  person: { sub: string; email: string; email_verified: boolean; name: string };
  /** The access token that the provider issues. */
  readonly accessToken: string;
  close(): Promise<void>;
}

export async function fakeOidc(clientSecret: string): Promise<FakeOidc> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nonces = new Map<string, string>();
  const accessToken = 'canary-access-token';
  const server = createServer((request, response): unknown => {
    const url = new URL(request.url ?? '/', issuer);
    const json = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (url.pathname === '/.well-known/openid-configuration') return json(discovery(issuer));
    if (url.pathname === '/jwks')
      return json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256', use: 'sig' }] });
    if (url.pathname === '/authorize') {
      const code = `code-${nonces.size}`;
      nonces.set(code, url.searchParams.get('nonce') ?? '');
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      return response.writeHead(302, { location: back.href }).end();
    }
    return bodyOf(request).then((body) => {
      const sent = new URLSearchParams(body);
      const basic = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
      if (sent.get('client_secret') !== clientSecret && !basic.endsWith(`:${clientSecret}`))
        return response.writeHead(401).end();
      const now = Math.floor(Date.now() / 1000);
      const nonce = nonces.get(sent.get('code') ?? '');
      const claims = { ...oidc.person, iss: issuer, aud: 'gateway', iat: now, exp: now + 60, nonce };
      return json({
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: 60,
        id_token: jwt(claims, privateKey),
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const oidc: FakeOidc = {
    issuer,
    accessToken,
    person: { sub: '1', email: 'guest@example.com', email_verified: true, name: 'Guest' },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return oidc;
}

function discovery(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

function jwt(claims: object, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'ES256', kid: 'k', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
