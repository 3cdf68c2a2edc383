import { createSecretKey } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { lockWaits } from '../../../test/stores/lock-waits.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import type { AccountId, KeyId } from '../../money/accounts/ids.ts';
import { limitKey } from '../../money/accounts/key-limits.ts';
import { createKey, type NewKey } from '../../money/accounts/keys.ts';
import { dayMs } from '../../core/time/calendar-day.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { BodyKeeper } from './body-keeper.ts';
import {
  bodiesDropped,
  bodiesKept,
  bodyReading,
  bodyVault,
  deleteBodiesOfKey,
  deleteBodiesOfRequest,
  forgetDeletions,
  storedBodies,
} from './stored-bodies.ts';
import type { SealedBodies } from './storing-job.ts';

const pepper = createSecretKey(Buffer.alloc(32, 7));
const canary = 'CANARY-世界-"quoted"';

forEachStore(({ engine, open, place }) => {
  let store: Store;
  let time: number;
  let settings: { maxBytes: number; accountBytesMax: number; memoryBytesMax: number; secret?: string } | undefined;
  let keeper: BodyKeeper;
  let dropped: number;
  let refused: string[];
  let keyId: KeyId;
  const clock = { ...systemClock, now: () => time };
  const holder = () => ({ keyId, accountId: 'a', storesBodies: true });
  const newKey = async (more: Partial<NewKey> = {}) =>
    (await createKey({ store, clock, pepper }, { accountId: 'a' as AccountId, name: 'k', storeBodies: true, ...more }))
      .key.id;

  const keepers = (on: Store) =>
    new BodyKeeper({
      store: on,
      clock,
      pepper,
      settings: () => settings,
      dropped: (count) => (dropped += count),
      onError: () => undefined,
      onRefused: (requestId) => refused.push(requestId),
    });

  beforeEach(async () => {
    store = await open();
    time = 1000;
    dropped = 0;
    refused = [];
    settings = { maxBytes: 1000, accountBytesMax: 1e9, memoryBytesMax: 1e6 };
    keeper = keepers(store);
    const account = {
      id: 'a',
      name: 'a',
      package: 'standard',
      status: 'active',
      source: 'store',
      created_at: 1,
    } as const;
    await store.db
      .insertInto('accounts')
      .values({ ...account, credit: null, time_zone: null })
      .execute();
    keyId = await newKey();
  });

  /** Returns the note for the request's record. */
  function keep(id: string, [came, went]: readonly [string, string], by = keeper): string | undefined {
    const copy = by.copyFor(holder());
    copy!.received(Buffer.from(came));
    copy!.sent(went, 'utf8');
    return by.keep({ id, accountId: 'a', keyId }, copy!);
  }

  const read = (id: string, vault = bodyVault(pepper, settings)) => bodyReading(store, vault, { id });

  test('stored bodies decrypt to the exact bytes sent, and the store contains no plain text of them', async () => {
    expect(keep('r1', [canary, `data: ${canary}\n\n`])).toBe(bodiesKept);
    await keeper.flush();
    const found = await read('r1');
    expect(found).toMatchObject({
      facts: { accountId: 'a', keyId, storedAt: 1000, requestBytes: Buffer.byteLength(canary) },
      bodies: { request: { text: canary }, answer: { text: `data: ${canary}\n\n` } },
    });
    expect(await everythingIn()).not.toContain('CANARY');
    expect(await everythingIn()).toContain('r1');
  });

  /** All the bytes of the store. */
  async function everythingIn(): Promise<string> {
    if (engine === 'postgres') return JSON.stringify(await store.db.selectFrom('sealed_blobs').selectAll().execute());
    const { data = '' } = place();
    const files = await readdir(data);
    return Buffer.concat(await Promise.all(files.map((file) => readFile(join(data, file))))).toString('latin1');
  }

  test('bodies cannot be decrypted with another secret, or as those of another request or account', async () => {
    for (const id of ['r1', 'r2', 'r3']) keep(id, ['asked', 'said']);
    await keeper.flush();
    const other = bodyVault(pepper, { secret: 'x'.repeat(32) });
    expect(await read('r1', other)).toMatchObject({ bodies: 'foreign' });
    const sealedOf = async (id: string) =>
      (await store.db.selectFrom('sealed_blobs').select('sealed').where('id', '=', id).executeTakeFirstOrThrow())
        .sealed;
    await store.db
      .updateTable('sealed_blobs')
      .set({ sealed: await sealedOf('r1') })
      .where('id', '=', 'r2')
      .execute();
    expect(await read('r2')).toMatchObject({ bodies: 'damaged' });
    await store.db.updateTable('sealed_blobs').set({ account_id: 'b' }).where('id', '=', 'r3').execute();
    expect(await read('r3')).toMatchObject({ bodies: 'damaged' });
    expect(await read('r1')).toMatchObject({ bodies: { request: { text: 'asked' } } });
    expect(await read('none')).toBeUndefined();
  });

  test('the bodies of a request are not stored if its key opts out before the end', async () => {
    const [kept, ended] = [keep('r1', ['asked', 'said']), await newKey({ storeBodies: false })];
    await keeper.flush();
    await limitKey(store, keyId, { storeBodies: false });
    keep('r2', ['asked', 'said']);
    keyId = ended;
    keep('r3', ['asked', 'said']);
    await keeper.flush();
    expect(kept).toBe(bodiesKept);
    expect(await storedBodies.most(store, 10)).toMatchObject([{ accountId: 'a', count: 1 }]);
    expect([await read('r2'), await read('r3')]).toEqual([undefined, undefined]);
  });

  test('nothing is copied for keys that do not opt in, or if the configuration does not allow it', () => {
    expect(keeper.copyFor({ ...holder(), storesBodies: false })).toBeUndefined();
    settings = undefined;
    expect(keeper.copyFor(holder())).toBeUndefined();
  });

  test('bodies of one request or one key are deleted on demand, and old bodies automatically', async () => {
    for (const [at, id] of ['r1', 'r2', 'r3', 'r4'].entries()) {
      time = 1000 + at;
      if (id === 'r4') keyId = await newKey();
      keep(id, ['asked', 'said']);
      await keeper.flush();
    }
    const { bytes } = await storedBodies.total(store, 'a');
    expect(await deleteBodiesOfRequest(store, { id: 'r2', accountId: 'b', keyId, at: 1 })).toBe(0);
    expect(await deleteBodiesOfRequest(store, { id: 'r2', accountId: 'a', keyId, at: 1 })).toBe(1);
    expect(await storedBodies.most(store, 10)).toMatchObject([{ count: 3 }]);
    expect(await bodyReading(store, bodyVault(pepper, settings), { id: 'r1', keepMs: dayMs })).toBeUndefined();
    expect(await storedBodies.deleteOlder(store, 1001)).toBe(false);
    expect([await read('r1'), await read('r2')]).toEqual([undefined, undefined]);
    expect(await deleteBodiesOfKey(store, { keyId, at: 1 })).toEqual({ deleted: 1, more: false });
    const left = await storedBodies.most(store, 10);
    expect(left).toMatchObject([{ count: 1 }]);
    expect(left[0]!.bytes).toBe(bytes / 4);
  });

  test('bodies deleted on demand are not stored again by a process with an unconfirmed or pending commit', async () => {
    const unconfirmed: Store['commit'] = async (job, input) => {
      await store.commit(job, input);
      throw new Error('the connection broke');
    };
    const later = { commit: unconfirmed };
    const disconnected = keepers({ ...store, commit: (job, input) => later.commit(job, input) });
    for (const id of ['r1', 'r2']) keep(id, ['asked', 'said'], disconnected);
    await expect(disconnected.flush()).rejects.toThrow('broke');
    expect(await deleteBodiesOfRequest(store, { id: 'r1', accountId: 'a', keyId, at: time })).toBe(1);
    expect(await deleteBodiesOfKey(store, { keyId, at: time })).toEqual({ deleted: 1, more: false });
    keep('r3', ['asked', 'said'], disconnected);
    time += 1;
    keep('r4', ['asked', 'said'], disconnected);
    later.commit = (job, input) => store.commit(job, input);
    await disconnected.stop();
    expect(await Promise.all(['r1', 'r2', 'r3'].map((id) => read(id)))).toEqual([undefined, undefined, undefined]);
    expect(await read('r4')).toMatchObject({ bodies: { request: { text: 'asked' } } });
    expect(await storedBodies.most(store, 10)).toMatchObject([{ count: 1 }]);
    await forgetDeletions(store, time);
    expect(await store.db.selectFrom('deleted_bodies').selectAll().execute()).toEqual([]);
  });

  test.runIf(engine === 'postgres')(
    'storing waits for a running change of the key and applies its result',
    async () => {
      const stored = await store.transaction(async (tx) => {
        await tx.updateTable('api_keys').set({ store_bodies: 0 }).where('id', '=', keyId).execute();
        keep('r1', ['asked', 'said']);
        const flushed = keeper.flush();
        let isOver = false;
        const over = () => (isOver = true);
        flushed.then(over, over);
        const isHeldUp = async () => isOver || (await lockWaits(store)) > 0;
        await expect
          .poll(isHeldUp, { message: 'the keeper waits for the lock of the key, or has finished' })
          .toBe(true);
        return { flushed };
      });
      await stored.flushed;
      expect(await read('r1')).toBeUndefined();
    },
  );

  test('queued bodies are not stored once the configuration forbids it', async () => {
    keep('r1', ['asked', 'said']);
    settings = undefined;
    await keeper.flush();
    expect(await store.db.selectFrom('blob_sums').selectAll().execute()).toEqual([]);
  });

  test('the oldest bodies of an account are deleted for the newest', async () => {
    keep('r1', ['asked', 'said']);
    await keeper.flush();
    const { bytes } = await storedBodies.total(store, 'a');
    settings = { ...settings!, accountBytesMax: bytes * 2 };
    for (const id of ['r2', 'r3', 'r4']) {
      time += 1;
      keep(id, ['asked', 'said']);
      await keeper.flush();
    }
    expect(await storedBodies.most(store, 10)).toMatchObject([{ count: 2, bytes: bytes * 2 }]);
    expect([await read('r2'), (await read('r4'))?.facts.keyId]).toEqual([undefined, keyId]);
  });

  test('concurrent deletions for the quota delete no more than a single one would', async () => {
    for (const id of ['r1', 'r2', 'r3', 'r4', 'r5']) {
      time += 1;
      keep(id, ['asked', 'said']);
      await keeper.flush();
    }
    const { bytes } = await storedBodies.total(store, 'a');
    const quota = { bytesMax: (bytes / 5) * 4, onError: (error: unknown) => expect.unreachable(String(error)) };
    const enforce = () => storedBodies.enforceQuota(store, new Map([['a', bytes]]), quota);
    await Promise.all(Array.from({ length: 4 }, enforce));
    expect(await storedBodies.most(store, 10)).toMatchObject([{ count: 4 }]);
    expect(await read('r1')).toBeUndefined();
  });

  test('while the store is unreachable, bodies wait up to the memory budget; the rest is dropped and counted', async () => {
    let isUnreachable = true;
    const commit: Store['commit'] = (job, input) =>
      isUnreachable ? Promise.reject(new Error('unreachable')) : store.commit(job, input);
    const unreachable = keepers({ ...store, commit });
    settings = { ...settings!, memoryBytesMax: 1000 };
    expect(keep('r1', ['a'.repeat(300), 'said'], unreachable)).toBe(bodiesKept);
    await expect(unreachable.flush()).rejects.toThrow('unreachable');
    expect(keep('r2', ['a'.repeat(600), 'said'], unreachable)).toBe(bodiesDropped);
    expect(dropped).toBe(1);
    isUnreachable = false;
    await unreachable.stop();
    expect(await read('r1')).toMatchObject({ bodies: { answer: { text: 'said' } } });
    expect(await storedBodies.most(store, 10)).toMatchObject([{ count: 1 }]);
    expect(dropped).toBe(1);
  });

  test('stored bodies release their memory for the next ones', async () => {
    settings = { ...settings!, memoryBytesMax: 1000 };
    for (const id of ['r1', 'r2', 'r3']) {
      expect(keep(id, ['a'.repeat(300), 'said'])).toBe(bodiesKept);
      await keeper.flush();
    }
    expect(dropped).toBe(0);
    expect(await storedBodies.most(store, 10)).toMatchObject([{ count: 3 }]);
  });

  test('only bodies that the store always rejects are dropped, after several attempts and only while it accepts others', async () => {
    let isUnreachable = true;
    const commit: Store['commit'] = (job, input) => {
      const isRefused = (input as unknown as readonly SealedBodies[]).some(({ id }) => id === 'r2');
      return isUnreachable || isRefused ? Promise.reject(new Error('no')) : store.commit(job, input);
    };
    const rejecting = keepers({ ...store, commit });
    for (const id of ['r1', 'r2', 'r3']) keep(id, ['asked', 'said'], rejecting);
    for (let tries = 0; tries < 20; tries += 1) await expect(rejecting.flush()).rejects.toThrow('no');
    expect(refused).toEqual([]);
    isUnreachable = false;
    for (let tries = 0; tries < 20 && refused.length === 0; tries += 1) await rejecting.flush().catch(() => undefined);
    expect([refused, dropped]).toEqual([['r2'], 1]);
    await rejecting.flush();
    expect([(await read('r1'))?.facts.keyId, await read('r2'), (await read('r3'))?.facts.keyId]).toEqual([
      keyId,
      undefined,
      keyId,
    ]);
    // While stopping, there is time for one attempt only.
    for (const id of ['r4', 'r2', 'r5']) keep(id, ['asked', 'said'], rejecting);
    await rejecting.stop();
    expect([refused, dropped]).toEqual([['r2', 'r2'], 2]);
    expect(await storedBodies.most(store, 10)).toMatchObject([{ count: 4 }]);
  });
});
