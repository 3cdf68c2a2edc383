import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putStore } from '../../test/made-store.ts';
import { systemClock } from '../core/clock.ts';
import { openStore, type Store } from '../store/store.ts';
import { accounts } from './accounts.ts';
import { createKey, keys } from './keys.ts';
import { openPepper } from './pepper.ts';

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

test('the pepper is made once, for its owner only, and stays', async () => {
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

test('the text of the key file behind `hex:` is the same secret, for a store that is moved', async () => {
  const pepper = await fromFile();
  const text = readFileSync(join(data, 'secret.key'), 'utf8').trim();
  expect((await fromConfig(`hex:${text}`)).equals(pepper)).toBe(true);
});

test('a lost or changed pepper is refused while there are keys that need it', async () => {
  const key = await makeKey();
  rmSync(join(data, 'secret.key'));
  await expect(fromFile()).rejects.toThrow('is not the secret that the API keys in this store were made with');
  await expect(fromConfig('s'.repeat(32))).rejects.toThrow('`secret` is not the one');
  await keys(store, systemClock).revoke(key.id);
  await expect(fromConfig('s'.repeat(32))).resolves.toBeDefined();
});

test('a damaged file is refused instead of being used as it is', async () => {
  writeFileSync(join(data, 'secret.key'), '');
  await expect(fromFile()).rejects.toThrow('damaged');
});

async function makeKey() {
  const account = await accounts(store, systemClock).create({ name: 'demo', packageName: 'standard' });
  const parts = { store, clock: systemClock, pepper: await fromFile() };
  return (await createKey(parts, { accountId: account.id, name: 'laptop' })).key;
}
