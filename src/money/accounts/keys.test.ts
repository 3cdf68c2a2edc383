import { createSecretKey } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import type { Store } from '../../platform/store/store.ts';
import { type Account, accounts } from './accounts.ts';
import { createKey, keyState, keys, type NewKey, rotateKey } from './keys.ts';
import { systemClock } from '../../core/time/clock.ts';

forEachStore(({ open }) => {
  let store: Store;
  let account: Account;
  let apiKeys: ReturnType<typeof keys>;
  const clock = { ...systemClock, now: () => 1000, elapsed: () => 0 };
  const pepper = createSecretKey(Buffer.alloc(32, 7));

  beforeEach(async () => {
    store = await open();
    apiKeys = keys(store, clock);
    account = await accounts(store, clock).create({ name: 'demo', packageName: 'standard' });
  });

  test('a key is found by id, name and display form', async () => {
    const { key, secret } = await make('laptop');
    expect(key.display).toBe(`${secret.slice(0, 11)}…${secret.slice(-2)}`);
    for (const reference of [key.id, 'laptop', key.display, key.display.replace('…', '...')]) {
      expect(await apiKeys.find(reference)).toEqual([key]);
    }
    expect(await apiKeys.find(secret)).toEqual([]);
  });

  test('keys that share a name are all found, oldest first', async () => {
    const [one, two] = [await make('laptop'), await make('laptop')];
    expect(new Set(await apiKeys.find('laptop'))).toEqual(new Set([one.key, two.key]));
  });

  test('keys are listed by account', async () => {
    const other = await accounts(store, clock).create({ name: 'other', packageName: 'standard' });
    const { key } = await make('laptop');
    expect(await apiKeys.list({ accountId: account.id })).toEqual([key]);
    expect(await apiKeys.list({ accountId: other.id })).toEqual([]);
    expect(await apiKeys.list()).toEqual([key]);
  });

  test('a key can be revoked only once, and the revocation is published to the change feed', async () => {
    const { key } = await make('laptop');
    expect(await apiKeys.revoke(key.id)).toBe(true);
    expect(await apiKeys.revoke(key.id)).toBe(false);
    const [revoked] = await apiKeys.find(key.id);
    expect(revoked?.revokedAt).toBe(1000);
    const rows = await store.db.selectFrom('changes').select('subject').where('topic', '=', 'key').execute();
    expect(rows.map((row) => row.subject)).toContain(key.id);
  });

  test('revoking a key aborts running streams only on request, also after the revocation', async () => {
    const { key } = await make('laptop');
    await apiKeys.revoke(key.id);
    expect(await published('cut')).toEqual([]);
    expect(await apiKeys.revoke(key.id, { terminateStreams: true })).toBe(false);
    expect(await published('cut')).toEqual([key.id]);
  });

  test('a spend cap is stored exactly', async () => {
    const { key } = await make('laptop', { spendCap: 999_999_999_999_999_999n });
    expect(key.spendCap).toBe(999_999_999_999_999_999n);
    expect(await apiKeys.list()).toEqual([key]);
  });

  test('a rotated key gets a successor with the same terms and stays valid for the grace period', async () => {
    const { key, secret } = await make('laptop', {
      models: ['acme-*'],
      spendCap: 5n,
      capPeriod: 'day',
      maxConcurrency: 2,
      addresses: ['10.0.0.0/8'],
      honourStreamFalse: true,
      reportCost: true,
      expiresAt: 90_000,
    });
    const rotated = await rotateKey({ store, clock, pepper }, key.id, { graceMs: 60_000 });
    const { id, display, rotatedFrom, ...terms } = rotated!.key;
    expect(terms).toEqual({ ...key, id: undefined, display: undefined, rotatedFrom: undefined });
    expect([id === key.id, display === key.display, rotatedFrom]).toEqual([false, false, key.id]);
    expect(rotated!.secret).not.toBe(secret);
    expect(rotated!.old).toEqual({ ...key, expiresAt: 61_000 });
    expect(await apiKeys.find(key.id)).toEqual([rotated!.old]);
    expect(await apiKeys.find(id)).toEqual([rotated!.key]);
    expect((await published('key')).slice(1).sort()).toEqual([id, key.id].sort());
  });

  test('the grace period does not extend the expiry of the old key', async () => {
    const { key } = await make('laptop', { expiresAt: 5000 });
    const rotated = await rotateKey({ store, clock, pepper }, key.id, { graceMs: 60_000 });
    expect(rotated?.old.expiresAt).toBe(5000);
  });

  test('without a grace period the old key is revoked, and an invalid key cannot be rotated', async () => {
    const { key } = await make('laptop');
    const rotated = await rotateKey({ store, clock, pepper }, key.id, { graceMs: 0 });
    expect(rotated?.old.revokedAt).toBe(1000);
    expect(await rotateKey({ store, clock, pepper }, key.id, { graceMs: 0 })).toBeUndefined();
    const expired = await make('old', { expiresAt: 1000 });
    expect(await rotateKey({ store, clock, pepper }, expired.key.id, { graceMs: 0 })).toBeUndefined();
    expect(await apiKeys.list()).toHaveLength(3);
  });

  test('a key is active until it expires, unless it is revoked before', async () => {
    const { key } = await make('laptop', { expiresAt: 2000 });
    expect(keyState(key, 1999)).toBe('active');
    expect(keyState(key, 2000)).toBe('expired');
    expect(keyState({ ...key, revokedAt: 1500 }, 1999)).toBe('revoked');
  });

  function make(name: string, options: Partial<NewKey> = {}) {
    return createKey({ store, clock, pepper }, { accountId: account.id, name, ...options });
  }

  async function published(topic: string): Promise<string[]> {
    const rows = await store.db
      .selectFrom('changes')
      .select('subject')
      .where('topic', '=', topic)
      .orderBy('id')
      .execute();
    return rows.map((row) => row.subject);
  }
});
