import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import type { AdminParts } from '../../../src/manage/admin/parts.ts';
import type { Role, TokenRole } from '../../../src/manage/admin/api/caller.ts';
import { adminRoutes } from '../../../src/manage/admin/routes.ts';
import { secretFormat } from '../../../src/money/accounts/secret-format.ts';
import { type AdminGateway, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { expectEnvelope } from '../../expectations.ts';

let gateway: AdminGateway;
beforeAll(async () => {
  gateway = await startAdminGateway();
});
afterAll(() => gateway.stop());

/** For each role that an endpoint requires, the roles that it rejects. Written independently of the code. */
const tooLow: Record<Role, readonly TokenRole[]> = {
  'read-only': ['account'],
  operator: ['account', 'read-only'],
  owner: ['account', 'read-only', 'operator'],
  account: ['read-only', 'operator', 'owner'],
  // Only users belong to organisations.
  organisation: ['account', 'read-only', 'operator', 'owner'],
};

const invalidKey = { status: 401, code: 'invalid_api_key', type: 'authentication_error' };

test('the OpenAPI document is the only route without an endpoint and its guard', () => {
  const parts = { current: () => ({ version: '' }) } as unknown as AdminParts;
  const open = adminRoutes(parts).filter(
    ({ method, path }) => !endpoints.some((each) => each.method === method && each.path === path),
  );
  expect(open.map(({ path }) => path)).toEqual(['/admin/v1/openapi.json']);
  expect(endpoints.length).toBeGreaterThan(40);
});

const unknown = secretFormat('gwa_live_').newSecret();
const wrongTokens = ['', unknown, `${unknown}x`, "' OR '1'='1", secretFormat('gwk_live_').newSecret()];

test.each(wrongTokens)('the token %j is rejected', async (token) => {
  for (const path of ['/admin/v1/system', '/account/v1/account']) {
    expectEnvelope(await gateway.send('GET', path, { token }), invalidKey);
  }
});

test.each(endpoints.map((endpoint, index) => [`${endpoint.method} ${endpoint.path}`, endpoint, index] as const))(
  '%s needs a token of the right role',
  async (_name, { method, path, access, body }, index) => {
    const target = path.replace(':id', 'some');
    const sent = body ? { body: { anything: 'at all' } } : {};
    // The same code reads the tokens of all endpoints, so each endpoint gets one of the wrong tokens.
    for (const token of [undefined, wrongTokens[index % wrongTokens.length]]) {
      expectEnvelope(await gateway.send(method, target, { token, ...sent }), invalidKey);
    }
    for (const role of tooLow[access]) {
      const reply = await gateway.send(method, target, { token: gateway.tokens[role], ...sent });
      expectEnvelope(reply, { status: 403, code: 'forbidden', type: 'gateway_error' });
    }
    if (access === 'organisation') return;
    const reply = await gateway.send(method, target, { token: gateway.tokens[access], ...sent });
    expect([200, 400, 404]).toContain(reply.status);
  },
);

test('every method except GET needs more than the role read-only, and no GET writes', () => {
  const nonWriting = endpoints.filter(({ method, isWrite }) => method !== 'GET' && !isWrite);
  expect(nonWriting.map(({ operationId }) => operationId)).toEqual([
    'reconcileInvoice',
    'testUpstream',
    'verifyLedger',
    'checkOut',
    'setUpCard',
  ]);
  for (const { method, access, path, isWrite } of endpoints) {
    if (isWrite) expect(method).not.toBe('GET');
    expect(path.startsWith('/account/v1/')).toBe(access === 'account' || access === 'organisation');
    if (method !== 'GET') expect(access).not.toBe('read-only');
  }
});

test('an API key and a Basic header are rejected as tokens', async () => {
  const { secret } = await gateway.owner('POST', '/admin/v1/keys', { account: gateway.ann.account.id, name: 'k' });
  expectEnvelope(await gateway.send('GET', '/admin/v1/system', { token: secret }), invalidKey);
  const basic = { authorization: `Basic ${gateway.tokens.owner}` };
  expectEnvelope(await gateway.send('GET', '/admin/v1/system', { headers: basic }), invalidKey);
});

test('a revoked token is refused immediately', async () => {
  const { id, secret } = await gateway.owner('POST', '/admin/v1/tokens', { name: 'short', role: 'read-only' });
  expect((await gateway.send('GET', '/admin/v1/system', { token: secret })).status).toBe(200);
  await gateway.owner('POST', `/admin/v1/tokens/${id}/revoke`);
  expectEnvelope(await gateway.send('GET', '/admin/v1/system', { token: secret }), invalidKey);
});

test('without a token the body is not read', async () => {
  const headers = { 'content-type': 'application/json' };
  const reply = await gateway.send('POST', '/admin/v1/accounts', { headers });
  expectEnvelope(reply, invalidKey);
});
