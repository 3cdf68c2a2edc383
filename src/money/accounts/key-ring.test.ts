import { createSecretKey, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { type ChangeFeed, changeFeed } from '../../platform/cluster/change-feed.ts';
import type { Store } from '../../platform/store/store.ts';
import { type Account, accounts } from './accounts.ts';
import { newSecret } from './secret-format.ts';
import { KeyRing } from './key-ring.ts';
import { createKey, keys, type NewKey, rotateKey } from './keys.ts';
import { systemClock } from '../../core/time/clock.ts';

const pepper = createSecretKey(randomBytes(32));
forEachStore(({ engine, open, place }) => {
  let store: Store;
  let otherStore: Store;
  let feed: ChangeFeed;
  let ring: KeyRing;
  let account: Account;
  let statements: string[];
  let time: { now: number; elapsed: number };
  const clock = { ...systemClock, now: () => time.now, elapsed: () => time.elapsed };

  beforeEach(async () => {
    time = { now: Date.UTC(2026, 10, 15), elapsed: 1000 };
    statements = [];
    store = await open({ log: (event) => void statements.push(event.query.sql) });
    otherStore = await open();
    feed = changeFeed(store, { clock, pollMs: 5 });
    ring = new KeyRing({ store, pepper, clock, feed });
    account = await accounts(store, clock).create({ name: 'demo', packageName: 'standard' });
    ring.start();
    feed.start();
    await waitForPoll(feed);
  });

  afterEach(async () => {
    feed.stop();
    await ring.stop();
  });

  test('a cached key is returned synchronously, without a store query', async () => {
    const { key, secret } = await newKey({
      models: ['acme-*'],
      spendCap: 7n,
      honourStreamFalse: true,
      reportCost: true,
    });
    const holder = await ring.holder(secret);
    expect(holder).toEqual({
      keyId: key.id,
      keyName: 'laptop',
      accountId: account.id,
      accountName: 'demo',
      packageName: 'standard',
      models: ['acme-*'],
      limits: [{ scope: 'key', subjectId: key.id, amount: 7n, renewal: undefined }],
      honoursStreamFalse: true,
      reportsCost: true,
      storesBodies: false,
    });
    const before = keyQueries();
    for (let again = 0; again < 1000; again += 1) expect(ring.holder(secret)).toBe(holder);
    expect(keyQueries()).toBe(before);
  });

  test('text that cannot be a key is refused synchronously, without a store query', async () => {
    // The ring looks up text that could be an imported key until it has read that there are none.
    await expect
      .poll(async () => {
        const found = ring.holder(`stranger-${newSecret()}`);
        await found;
        return found instanceof Promise;
      })
      .toBe(false);
    const before = keyQueries();
    const { length } = newSecret();
    const texts = [
      '',
      'Bearer',
      'gwk_live_',
      'x'.repeat(length),
      'x'.repeat(8192),
      `${newSecret()}\0`,
      'gwk_live_é',
      ...injections,
    ];
    for (const text of [undefined, ...texts]) expect(ring.holder(text)).toBeUndefined();
    expect(keyQueries()).toBe(before);
  });

  test('an unknown key is looked up once and then cached as unknown for five seconds', async () => {
    const secret = newSecret();
    expect(await ring.holder(secret)).toBeUndefined();
    expect(ring.holder(secret)).toBeUndefined();
    expect(keyQueries()).toBe(1);
    await advance(5001);
    expect(await ring.holder(secret)).toBeUndefined();
    expect(keyQueries()).toBe(2);
  });

  test('many requests with the same uncached key cause one query', async () => {
    const { key, secret } = await newKey();
    const holders = await Promise.all(Array.from({ length: 500 }, () => Promise.resolve(ring.holder(secret))));
    expect(new Set(holders.map((holder) => holder?.keyId))).toEqual(new Set([key.id]));
    expect(keyQueries()).toBe(1);
  });

  test('a flood of invented keys becomes a few queries and does not affect a cached key', async () => {
    const { key, secret } = await newKey();
    await ring.holder(secret);
    const before = keyQueries();
    const flood = Array.from({ length: 3000 }, () => Promise.resolve(ring.holder(newSecret())));
    expect(ring.holder(secret)).toMatchObject({ keyId: key.id });
    expect(await Promise.all(flood)).toEqual(flood.map(() => undefined));
    expect(keyQueries() - before).toBe(30);
  });

  test('lookups beyond the queue limit are rejected as overloaded', async () => {
    const flood = Array.from({ length: 10_001 }, () => Promise.resolve(ring.holder(newSecret())));
    const outcomes = await Promise.allSettled(flood);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ case: 'overloaded' }) },
    ]);
  });

  test('a key that another process revokes is refused at its next use', async () => {
    const { key, secret } = await newKey();
    expect(await ring.holder(secret)).toBeDefined();
    await keys(otherStore, clock).revoke(key.id);
    await eventually(async () => expect(await ring.holder(secret)).toBeUndefined());
  });

  test('the keys of a suspended account are refused until the account is resumed', async () => {
    const { secret } = await newKey();
    expect(await ring.holder(secret)).toBeDefined();
    await accounts(otherStore, clock).suspend(account.id);
    await eventually(async () => expect(await ring.holder(secret)).toBeUndefined());
    await accounts(otherStore, clock).resume(account.id);
    await eventually(async () => expect(await ring.holder(secret)).toBeDefined());
  });

  test('the limits of a key use the time zone of its account, and are shared with the key it replaced', async () => {
    await store.db.updateTable('accounts').set({ time_zone: 'Asia/Tokyo' }).execute();
    const { key } = await newKey({ spendCap: 7n, capPeriod: 'week', maxConcurrency: 2, addresses: ['10.0.0.0/8'] });
    const rotated = await rotateKey({ store, clock, pepper }, key.id, { graceMs: 0 });
    const holder = await ring.holder(rotated?.secret);
    expect(holder).toMatchObject({
      keyId: rotated?.key.id,
      limits: [{ scope: 'key', subjectId: key.id, amount: 7n, renewal: { period: 'week', timeZone: 'Asia/Tokyo' } }],
      concurrency: { max: 2, firstKeyId: key.id },
    });
    const isAllowed = ['10.1.2.3', '11.1.2.3', 'fe80::1%eth0'].map((address) => holder?.addresses?.has(address));
    expect(isAllowed).toEqual([true, false, false]);
  });

  test('a key expires to the millisecond, also in the cache', async () => {
    const { secret } = await newKey({ expiresAt: time.now + 10_000 });
    expect(await ring.holder(secret)).toBeDefined();
    time.now += 9999;
    expect(ring.holder(secret)).toBeDefined();
    time.now += 1;
    expect(ring.holder(secret)).toBeUndefined();
    expect(ring.remembered(secret)).toBeUndefined();
  });

  test('after fifteen seconds without a feed poll, a cached key is only returned by remembered()', async () => {
    const { key, secret } = await newKey();
    // The last poll was now, and there is no other one. A real feed could be in the middle of a poll.
    const silentFeed = { freshAt: time.elapsed, following: Promise.resolve(), subscribe: () => () => undefined };
    const staleRing = new KeyRing({ store, pepper, clock, feed: silentFeed });
    staleRing.start();
    await staleRing.holder(secret);
    await keys(otherStore, clock).revoke(key.id);
    time.elapsed += 15_000;
    expect(staleRing.holder(secret)).toMatchObject({ keyId: key.id });
    time.elapsed += 1;
    expect(staleRing.known(secret)).toBeUndefined();
    expect(staleRing.remembered(secret)).toMatchObject({ keyId: key.id });
    expect(await staleRing.holder(secret)).toBeUndefined();
    await staleRing.stop();
  });

  test('a lookup before the first feed poll is not cached', async () => {
    const { key, secret } = await newKey();
    const lateFeed = changeFeed(store, { clock, pollMs: 5 });
    const early = new KeyRing({ store, pepper, clock, feed: lateFeed });
    early.start();
    expect(await early.holder(secret)).toBeDefined();
    await keys(otherStore, clock).revoke(key.id);
    lateFeed.start();
    await waitForPoll(lateFeed);
    expect(await early.holder(secret)).toBeUndefined();
    lateFeed.stop();
    await early.stop();
  });

  test('a cached key is refreshed in the background after 30 seconds', async () => {
    const { key, secret } = await newKey();
    await ring.holder(secret);
    await otherStore.db.updateTable('api_keys').set({ name: 'renamed' }).where('id', '=', key.id).execute();
    await advance(30_001);
    expect(ring.holder(secret)).toMatchObject({ keyName: 'laptop' });
    await eventually(() => expect(ring.holder(secret)).toMatchObject({ keyName: 'renamed' }));
  });

  test('a key that was not used for five minutes is looked up before it is accepted', async () => {
    const { key, secret } = await newKey();
    await ring.holder(secret);
    await otherStore.db.updateTable('api_keys').set({ revoked_at: 1 }).where('id', '=', key.id).execute();
    await advance(300_000);
    expect(await ring.holder(secret)).toBeUndefined();
  });

  test('a lookup that is overtaken by a change is not cached', async () => {
    const { key, secret } = await newKey();
    let publish: Parameters<ChangeFeed['subscribe']>[0] = () => undefined;
    const quietFeed = {
      following: Promise.resolve(),
      get freshAt() {
        return time.elapsed;
      },
      subscribe: (listener: typeof publish) => {
        publish = listener;
        return () => undefined;
      },
    };
    const slow = new KeyRing({ store, pepper, clock, feed: quietFeed });
    slow.start();
    const overtaken = slow.holder(secret);
    publish([{ topic: 'key', subject: key.id }]);
    await overtaken;
    const again = slow.holder(secret);
    expect(again).toBeInstanceOf(Promise);
    await again;
    await slow.stop();
  });

  test('SQL injection strings find nothing and break nothing', async () => {
    const { secret } = await newKey();
    for (const text of injections) expect(await ring.holder(text)).toBeUndefined();
    for (const text of injections) expect(await keys(store, clock).find(text)).toEqual([]);
    for (const text of injections) expect(await accounts(store, clock).find(text)).toBeUndefined();
    expect(await ring.holder(secret)).toBeDefined();
  });

  test('the last use is written in the background, at most once a minute', async () => {
    const { key, secret } = await newKey();
    const usedAt = time.now;
    await ring.holder(secret);
    time.now += 59_999;
    await ring.holder(secret);
    await ring.stop();
    expect((await keys(store, clock).find(key.id))[0]?.lastUsedAt).toBe(usedAt);
  });

  test.runIf(engine === 'sqlite')('the data directory does not contain any secret', async () => {
    const { secret } = await newKey();
    await ring.holder(secret);
    const { data = '' } = place();
    const files = readdirSync(data).map((name) => readFileSync(join(data, name)));
    expect(files.some((bytes) => bytes.includes('laptop'))).toBe(true);
    expect(files.some((bytes) => bytes.includes(secret))).toBe(false);
  });

  const injections = [
    `' OR '1'='1`,
    `'; DROP TABLE api_keys; --`,
    `" OR ""="`,
    `1 UNION SELECT * FROM api_keys`,
    `gwk_live_' OR digest LIKE '%`,
    `%`,
    `\\'; --`,
    `x'00'`,
    `?1`,
    `:digest`,
    `admin'/*`,
    `') OR ('a'='a`,
  ];

  /** Creates a key and waits until the ring has received the change, which removes the key from its cache. */
  async function newKey(options: Partial<NewKey> = {}) {
    const created = await createKey({ store, pepper, clock }, { accountId: account.id, name: 'laptop', ...options });
    await advance(1);
    return created;
  }

  function keyQueries(): number {
    return statements.filter((sql) => sql.startsWith('select') && sql.includes('"api_keys"."digest" in')).length;
  }

  /** Advances the time and waits for a feed poll. */
  async function advance(ms: number): Promise<void> {
    time.elapsed += ms;
    await waitForPoll(feed);
  }

  /** Waits for the end of a poll that began after the last change. */
  async function waitForPoll(of: ChangeFeed): Promise<void> {
    await expect.poll(() => of.freshAt, { message: 'the feed has polled the store', interval: 1 }).toBe(time.elapsed);
  }
});
