import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putStore } from '../../../test/stores/made-store.ts';
import { systemClock } from '../../core/time/clock.ts';
import { openStore, type Store } from '../store/store.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { createKey, keys } from '../../money/accounts/keys.ts';
import type { Pepper } from './key-digest.ts';
import { forgetOthers, openPepper } from './pepper.ts';

let data: string;
let store: Store;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'gateway-pepper-'));
  await putStore(data);
  store = await openStore({ data });
});
afterEach(async () => {
  await store.close();
  rmSync(data, { recursive: true });
});

const fromFile = () => openPepper(store, { data, secret: undefined });
const fromConfig = (secret: string) => openPepper(store, { data, secret });

test('the pepper file is created once, readable by its owner only', async () => {
  const [one, two] = await Promise.all([fromFile(), fromFile()]);
  expect(one.equals(two)).toBe(true);
  expect(one.symmetricKeySize).toBe(32);
  expect(statSync(join(data, 'secret.key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(data).filter((name) => name.startsWith('secret.key'))).toEqual(['secret.key']);
});

test('a configured secret replaces the file', async () => {
  const pepper = await fromConfig('s'.repeat(32));
  expect(pepper.export().toString()).toBe('s'.repeat(32));
  expect(readdirSync(data)).not.toContain('secret.key');
});

test('a configured secret of `hex:` and the text of the key file is the same pepper', async () => {
  const pepper = await fromFile();
  const text = readFileSync(join(data, 'secret.key'), 'utf8').trim();
  expect((await fromConfig(`hex:${text}`)).equals(pepper)).toBe(true);
});

test('a lost or changed pepper is refused while the store has valid keys', async () => {
  const key = await makeKey();
  rmSync(join(data, 'secret.key'));
  await expect(fromFile()).rejects.toThrow('is not the secret that the API keys in this store were made with');
  await expect(fromConfig('s'.repeat(32))).rejects.toThrow('`secret` is not the one');
  await keys(store, systemClock).revoke(key.id);
  await expect(fromConfig('s'.repeat(32))).resolves.toBeDefined();
});

test('during a rotation both secrets are required, in either order', async () => {
  const [old, next] = ['o'.repeat(32), 'n'.repeat(32)];
  const both = (secret: string, other: string) => openPepper(store, { data, secret, otherSecrets: [other] });
  await fromConfig(old);
  await makeKey(await fromConfig(old));
  // First, every gateway gets the new secret in addition, and continues with the old one.
  await both(old, next);
  await expect(fromConfig(old)).resolves.toBeDefined();
  const pepper = await both(next, old);
  expect(pepper.others?.map((each) => each.export().toString())).toEqual([old]);
  expect(pepper.founding?.export().toString()).toBe(old);
  await expect(both(old, next)).resolves.toBeDefined();
  await expect(fromConfig(next)).rejects.toThrow('Put the other one into `other_secrets`');
  await expect(fromConfig(old)).rejects.toThrow('Put the other one into `other_secrets`');
  await forgetOthers(store.db, pepper);
  await expect(fromConfig(next)).resolves.toBeDefined();
  await expect(both(next, old)).resolves.toBeDefined();
  await expect(fromConfig(old)).rejects.toThrow('`secret` is not the one');
});

test('a damaged pepper file is refused', async () => {
  writeFileSync(join(data, 'secret.key'), '');
  await expect(fromFile()).rejects.toThrow('damaged');
});

async function makeKey(pepper?: Pepper) {
  const account = await accounts(store, systemClock).create({ name: 'demo', packageName: 'standard' });
  const parts = { store, clock: systemClock, pepper: pepper ?? (await fromFile()) };
  return (await createKey(parts, { accountId: account.id, name: 'laptop' })).key;
}
