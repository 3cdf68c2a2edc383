import { createSecretKey, hash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { type ChangeFeed, changeFeed } from '../../platform/cluster/change-feed.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { type Account, accounts } from './accounts.ts';
import { type ForeignSecret, importKey, importLock } from './import-key.ts';
import { keyDigest, type Pepper, secretId } from '../../platform/secrets/key-digest.ts';
import { KeyRing } from './key-ring.ts';
import { keys } from './keys.ts';

const pepper = createSecretKey(randomBytes(32));
const sha256 = (text: string) => hash('sha256', text, 'hex');
const litellm = 'sk-1FLbJU9fNbmqDG3mhVfkJA';
const newApi = 'a1B2'.repeat(12);

forEachStore(({ open }) => {
  let store: Store;
  let feed: ChangeFeed;
  let ring: KeyRing;
  let account: Account;
  let statements: string[];
  const clock = systemClock;

  beforeEach(async () => {
    statements = [];
    store = await open({ log: (event) => void statements.push(event.query.sql) });
    feed = changeFeed(store, { clock, pollMs: 5 });
    account = await accounts(store, clock).create({ name: 'demo', packageName: 'standard' });
    feed.start();
    await expect.poll(() => feed.freshAt, { message: 'the feed has polled' }).toBeGreaterThan(0);
    ring = ringWith();
  });
  afterEach(() => feed.stop());

  test('a key imported by its secret is accepted, and the store has neither its secret nor its SHA-256', async () => {
    const key = await imported({ scheme: 'plain', secret: litellm });
    expect(key.display).toBe('sk-…kJA');
    expect(await ring.holder(litellm)).toMatchObject({ keyId: key.id, accountName: 'demo' });
    const row = await rowOf(key.id);
    expect(row).toMatchObject({ scheme: 'plain', digest: keyDigest(pepper, litellm) });
    expect(JSON.stringify(row)).not.toContain(sha256(litellm));
  });

  test('a key imported by its digest gets the ordinary digest and its masked form at its first use', async () => {
    const key = await imported({ scheme: 'sha256', sha256: sha256(litellm).toUpperCase() });
    expect(key.display).toBe(`sha256:${sha256(litellm).slice(0, 4)}…`);
    expect(await rowOf(key.id)).toMatchObject({ scheme: 'sha256', digest: keyDigest(pepper, sha256(litellm)) });
    expect(await ring.holder(litellm)).toMatchObject({ keyId: key.id });
    const renewed = { scheme: 'plain', digest: keyDigest(pepper, litellm), display: 'sk-…kJA' };
    await eventually(async () => expect(await rowOf(key.id)).toMatchObject(renewed));
    expect(await ringWith().holder(litellm)).toMatchObject({ keyId: key.id });
  });

  test('the digest of a key is never accepted as a key, before and after the first use of the key', async () => {
    const key = await imported({ scheme: 'sha256', sha256: sha256(litellm) });
    expect(await ring.holder(sha256(litellm))).toBeUndefined();
    await ring.holder(litellm);
    await eventually(async () => expect((await rowOf(key.id))?.scheme).toBe('plain'));
    expect(await ringWith().holder(sha256(litellm))).toBeUndefined();
    expect(await ringWith().holder(keyDigest(pepper, litellm))).toBeUndefined();
  });

  test('a key of new-api is accepted with and without sk-, and refused with a channel behind it', async () => {
    const key = await imported({ scheme: 'new-api', secret: `sk-${newApi}` });
    for (const secret of [newApi, `sk-${newApi}`]) expect(await ring.holder(secret)).toMatchObject({ keyId: key.id });
    for (const secret of [`${newApi}-3`, `sk-${newApi}-3`, `sk-${newApi}-`, `sk-sk-${newApi}`]) {
      expect(await ring.holder(secret)).toBeUndefined();
    }
  });

  test('keys of other schemes are accepted only as they were imported', async () => {
    await imported({ scheme: 'plain', secret: newApi });
    await imported({ scheme: 'sha256', sha256: sha256('other-key') });
    for (const secret of [`sk-${newApi}`, 'sk-other-key', `${newApi} `, newApi.toLowerCase()]) {
      expect(await ring.holder(secret)).toBeUndefined();
    }
  });

  test('a flood of unknown text causes no look-up, and does not delay an imported key', async () => {
    const { id } = await imported({ scheme: 'sha256', sha256: sha256(litellm) });
    await digestsRead(ring);
    const before = keyQueries();
    const flood = Array.from({ length: 3000 }, () => ring.holder(`sk-${randomBytes(16).toString('base64url')}`));
    expect(flood.every((holder) => holder === undefined)).toBe(true);
    expect(keyQueries()).toBe(before);
    expect(await ring.holder(litellm)).toMatchObject({ keyId: id });
  });

  test('an unknown key does not wait until the digests of changed keys are read', async () => {
    const reading = Promise.withResolvers<void>();
    const db = store.db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        if (JSON.stringify(node).includes('is not')) held.add(queryId);
        return node;
      },
      transformResult: async ({ result, queryId }) => {
        if (held.has(queryId)) await reading.promise;
        return result;
      },
    });
    const held = new WeakSet<object>();
    const { id } = await imported({ scheme: 'plain', secret: litellm });
    const slow = ringWith({ store: { ...store, db } });
    expect(await slow.holder('sk-an-unknown-key')).toBeUndefined();
    expect(await slow.holder(litellm)).toMatchObject({ keyId: id });
    reading.resolve();
    await digestsRead(slow);
  });

  test('a key that another process imports is accepted after the next poll of the feed', async () => {
    expect(await ring.holder(litellm)).toBeUndefined();
    const { id } = await committed({ scheme: 'plain', secret: litellm });
    await eventually(async () => expect(await ring.holder(litellm)).toMatchObject({ keyId: id }));
  });

  test('a key that another process imports while a process starts is accepted', async () => {
    const lateFeed = changeFeed(store, { clock, pollMs: 5 });
    const early = ringWith({ feed: lateFeed });
    await expect.poll(() => early.holder('an-unknown-text'), { message: 'no key is imported' }).toBeUndefined();
    const { id } = await imported({ scheme: 'plain', secret: litellm });
    lateFeed.start();
    await expect.poll(() => lateFeed.freshAt, { message: 'the late feed has polled' }).toBeGreaterThan(0);
    expect(await early.holder(litellm)).toMatchObject({ keyId: id });
    lateFeed.stop();
  });

  test('two processes that see the first use at once both accept the key', async () => {
    const { id } = await imported({ scheme: 'sha256', sha256: sha256(litellm) });
    const rings = [ring, ringWith(), ringWith()];
    const holders = await Promise.all(rings.map((each) => Promise.resolve(each.holder(litellm))));
    expect(holders.map((holder) => holder?.keyId)).toEqual([id, id, id]);
    await eventually(async () => expect((await rowOf(id))?.scheme).toBe('plain'));
  });

  test('after a rotation of the secret, imported keys are found and renewed with the new secret', async () => {
    const ids = [
      (await imported({ scheme: 'sha256', sha256: sha256(litellm) })).id,
      (await imported({ scheme: 'new-api', secret: newApi })).id,
    ];
    const next: Pepper = Object.assign(createSecretKey(randomBytes(32)), { others: [pepper] });
    const rotated = ringWith({ pepper: next });
    expect((await rotated.holder(litellm))?.keyId).toBe(ids[0]);
    expect((await rotated.holder(`sk-${newApi}`))?.keyId).toBe(ids[1]);
    const forms = [
      { scheme: 'plain', digest: keyDigest(next, litellm), digest_secret: secretId(next) },
      { scheme: 'new-api', digest: keyDigest(next, newApi), digest_secret: secretId(next) },
    ];
    for (const [at, form] of forms.entries()) {
      await eventually(async () => expect(await rowOf(ids[at]!)).toMatchObject(form));
    }
  });

  test('a key is accepted although its digest cannot be renewed', async () => {
    const { id } = await imported({ scheme: 'sha256', sha256: sha256(litellm) });
    const failing = { set: () => failing, where: () => failing, execute: () => Promise.reject(new Error('away')) };
    const db = new Proxy(store.db, {
      get: (target, name) => {
        if (name === 'updateTable') return () => failing;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    expect((await ringWith({ store: { ...store, db } }).holder(litellm))?.keyId).toBe(id);
    expect((await rowOf(id))?.scheme).toBe('sha256');
    expect((await ring.holder(litellm))?.keyId).toBe(id);
  });

  test('a revoked imported key is refused, and stays revoked after another import', async () => {
    const { id } = await imported({ scheme: 'plain', secret: litellm });
    await keys(store, clock).revoke(id);
    expect((await imported({ scheme: 'plain', secret: litellm })).revokedAt).toBeDefined();
    expect(await ring.holder(litellm)).toBeUndefined();
  });

  test('a second import of a key changes nothing, and one of another account is refused', async () => {
    for (const foreign of [
      { scheme: 'sha256', sha256: sha256(litellm) },
      { scheme: 'new-api', secret: newApi },
    ] as const) {
      const first = await imported(foreign);
      expect((await imported(foreign)).id).toBe(first.id);
      const other = await accounts(store, clock).create({ name: `other-${first.id}`, packageName: 'standard' });
      await expect(imported(foreign, other)).rejects.toMatchObject({ reason: { code: 'key_of_other_account' } });
    }
    // The secret of a key that was imported by its digest.
    const { id } = await imported({ scheme: 'plain', secret: litellm });
    expect((await rowOf(id))?.scheme).toBe('sha256');
  });

  test('a digest that is imported as a secret is refused, because it would be accepted as a key', async () => {
    await imported({ scheme: 'sha256', sha256: sha256(litellm) });
    const asSecret = imported({ scheme: 'plain', secret: sha256(litellm) });
    await expect(asSecret).rejects.toMatchObject({ reason: { code: 'key_is_digest' } });
  });

  test('a secret that is too short, too long, spaced or not ASCII is refused', async () => {
    for (const secret of ['seven77', 'x'.repeat(513), 'has space', 'schlüssel', 'line\nbreak']) {
      await expect(imported({ scheme: 'plain', secret })).rejects.toMatchObject({
        problems: [{ field: 'secret', reason: 'not_a_foreign_key' }],
      });
    }
    await expect(imported({ scheme: 'new-api', secret: 'sk-abcdefgh-3' })).rejects.toMatchObject({
      problems: [{ field: 'secret', reason: 'not_a_new_api_key' }],
    });
    await expect(imported({ scheme: 'sha256', sha256: 'abc' })).rejects.toMatchObject({
      problems: [{ field: 'sha256', reason: 'not_a_digest' }],
    });
    for (const secret of ['eight888', 'y'.repeat(512)]) {
      await imported({ scheme: 'plain', secret });
      expect(await ringWith().holder(secret)).toBeDefined();
    }
  });

  /** Returns when the feed has the import. Until then, a ring that has read all digests refuses the key. */
  async function imported(foreign: ForeignSecret, of?: Account) {
    const key = await committed(foreign, of);
    const committedAt = clock.elapsed();
    await expect.poll(() => feed.freshAt, { message: 'the feed has the import' }).toBeGreaterThan(committedAt);
    return key;
  }

  async function committed(foreign: ForeignSecret, of: Account = account) {
    const terms = { accountId: of.id, name: 'laptop' };
    const { key } = await store.transaction((tx) => importKey(tx, { clock, pepper }, terms, foreign), importLock);
    return key;
  }

  function ringWith(parts: Partial<ConstructorParameters<typeof KeyRing>[0]> = {}): KeyRing {
    const created = new KeyRing({ store, pepper, clock, feed, ...parts });
    created.start();
    return created;
  }

  /** The ring then refuses any unknown text without a look-up. */
  function digestsRead(of: KeyRing): Promise<void> {
    return eventually(() => expect(of.holder(`text-${randomBytes(8).toString('hex')}`)).toBeUndefined());
  }

  function rowOf(id: string) {
    return store.db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
  }

  function keyQueries(): number {
    return statements.filter((sql) => sql.startsWith('select') && sql.includes('"api_keys"')).length;
  }
});
