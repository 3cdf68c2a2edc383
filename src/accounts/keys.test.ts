import { createSecretKey } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../test/stores.ts';
import type { Store } from '../store/store.ts';
import { type Account, accounts } from './accounts.ts';
import { createKey, type Keys, keyState, keys } from './keys.ts';

forEachStore(({ open }) => {
  let store: Store;
  let account: Account;
  let bunch: Keys;
  const clock = { now: () => 1000, elapsed: () => 0 };
  const pepper = createSecretKey(Buffer.alloc(32, 7));

  beforeEach(async () => {
    store = await open();
    bunch = keys(store, clock);
    account = await accounts(store, clock).create({ name: 'demo', packageName: 'standard' });
  });

  test('a key is found by id, by name and by what is shown of it', async () => {
    const { key, secret } = await make('laptop');
    expect(key.display).toBe(`${secret.slice(0, 11)}…${secret.slice(-2)}`);
    for (const reference of [key.id, 'laptop', key.display, key.display.replace('…', '...')]) {
      expect(await bunch.find(reference)).toEqual([key]);
    }
    expect(await bunch.find(secret)).toEqual([]);
  });

  test('keys that share a name are all found, oldest first', async () => {
    const [one, two] = [await make('laptop'), await make('laptop')];
    expect(new Set(await bunch.find('laptop'))).toEqual(new Set([one.key, two.key]));
  });

  test('keys are listed by account', async () => {
    const other = await accounts(store, clock).create({ name: 'other', packageName: 'standard' });
    const { key } = await make('laptop');
    expect(await bunch.list({ accountId: account.id })).toEqual([key]);
    expect(await bunch.list({ accountId: other.id })).toEqual([]);
    expect(await bunch.list()).toEqual([key]);
  });

  test('a key is revoked once, and its revocation is written to the feed', async () => {
    const { key } = await make('laptop');
    expect(await bunch.revoke(key.id)).toBe(true);
    expect(await bunch.revoke(key.id)).toBe(false);
    const [revoked] = await bunch.find(key.id);
    expect(revoked?.revokedAt).toBe(1000);
    const rows = await store.db.selectFrom('changes').select('subject').where('topic', '=', 'key').execute();
    expect(rows.map((row) => row.subject)).toContain(key.id);
  });

  test('the state of a key follows revocation first and then the clock', async () => {
    const { key } = await make('laptop', { expiresAt: 2000 });
    expect(keyState(key, 1999)).toBe('active');
    expect(keyState(key, 2000)).toBe('expired');
    expect(keyState({ ...key, revokedAt: 1500 }, 1999)).toBe('revoked');
  });

  function make(name: string, options: { models?: string[]; expiresAt?: number } = {}) {
    return createKey({ store, clock, pepper }, { accountId: account.id, name, ...options });
  }
});
