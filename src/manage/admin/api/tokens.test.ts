import { createSecretKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putStore } from '../../../../test/stores/made-store.ts';
import { accounts } from '../../../money/accounts/accounts.ts';
import { openStore, type Store } from '../../../platform/store/store.ts';
import { createToken, firstAdminToken, listTokens, revokeToken, tokenHolder } from './tokens.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { SecretParts } from '../../../platform/secrets/key-digest.ts';

let data: string;
let store: Store;
let parts: SecretParts;
const clock = { ...systemClock, now: () => 1000, elapsed: () => 0 };

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'gateway-tokens-'));
  await putStore(data);
  store = await openStore({ data });
  parts = { store, clock, pepper: createSecretKey(Buffer.alloc(32, 1)) };
});
afterEach(async () => {
  await store.close();
  rmSync(data, { recursive: true });
});

test('a token is found by its secret and by nothing that the store holds', async () => {
  const { token, secret } = await createToken(parts, { name: 'ops', role: 'operator', accountId: undefined });
  expect(secret).toMatch(/^gwa_live_[0-9A-Za-z]{38}$/);
  expect(token).toMatchObject({
    id: expect.stringMatching(/^tok_/),
    role: 'operator',
    display: expect.stringContaining('…'),
  });
  expect(await tokenHolder(parts, secret)).toEqual(token);
  const [row] = await store.db.selectFrom('admin_tokens').selectAll().execute();
  expect(JSON.stringify(row)).not.toContain(secret.slice(12, -4));
  expect(await tokenHolder(parts, row!.digest)).toBeUndefined();
  expect(await tokenHolder({ ...parts, pepper: createSecretKey(Buffer.alloc(32, 2)) }, secret)).toBeUndefined();
});

test('a mistyped token is refused without a store query', async () => {
  const { secret } = await createToken(parts, { name: 'ops', role: 'operator', accountId: undefined });
  const broken = { ...parts, store: undefined as unknown as Store };
  for (const text of [secret.slice(0, -1), `${secret}0`, secret.replace('gwa', 'gwk'), '', ' ']) {
    expect(await tokenHolder(broken, text)).toBeUndefined();
  }
});

test('a token can be revoked only once', async () => {
  const { token, secret } = await createToken(parts, { name: 'ops', role: 'operator', accountId: undefined });
  expect(await revokeToken(store, clock, token.id)).toBe(true);
  expect(await revokeToken(store, clock, token.id)).toBe(false);
  expect(await tokenHolder(parts, secret)).toBeUndefined();
  expect(await listTokens(store)).toEqual([{ ...token, revokedAt: 1000 }]);
});

test('only the first start creates an owner token', async () => {
  const account = await accounts(store, clock).create({ name: 'demo', packageName: 'standard' });
  await createToken(parts, { name: 'dashboard', role: 'account', accountId: account.id });
  const secret = await firstAdminToken(parts);
  const holder = await tokenHolder(parts, secret!);
  expect(holder).toMatchObject({ role: 'owner', name: 'first token' });
  expect(await firstAdminToken(parts)).toBeUndefined();
  await revokeToken(store, clock, holder!.id);
  expect(await firstAdminToken(parts)).toBeUndefined();
});
