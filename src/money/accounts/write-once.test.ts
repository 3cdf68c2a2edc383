import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { atOnceUnder } from '../../../test/stores/at-once.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { joined } from '../../platform/store/joined.ts';
import type { Store } from '../../platform/store/store.ts';
import { retriedMs, writeOnce, writesMax } from './write-once.ts';

const pepper = createSecretKey(Buffer.alloc(32, 1));
const owner = 'acc_1';

/** All but one of the writes that the account may have. */
async function fill(store: Store, at: number): Promise<void> {
  const rows = Array.from({ length: writesMax - 1 }, (_, index) => ({
    token_id: owner,
    key_digest: `key ${index}`,
    request_digest: 'request',
    reply: 'reply',
    at: at + index,
  }));
  for (let from = 0; from < rows.length; from += 1000) {
    await store.db
      .insertInto('admin_writes')
      .values(rows.slice(from, from + 1000))
      .execute();
  }
}

forEachStore(({ open }) => {
  const clock = manualClock();
  const write = (store: Store, key: string) =>
    store.transaction((tx) =>
      writeOnce({ store: joined(store, tx), clock, pepper }, { owner, key, request: 'r' }, () => Promise.resolve(key)),
    );
  const count = async (store: Store) => {
    const rows = store.db.selectFrom('admin_writes').select(({ fn }) => fn.countAll<number | string>().as('count'));
    return Number((await rows.where('token_id', '=', owner).executeTakeFirstOrThrow()).count);
  };

  test('writes at the same time do not pass the number that an account may retry', async () => {
    const store = await open();
    await fill(store, clock.now());
    const outcomes = await atOnceUnder(
      store,
      `writes of ${owner}`,
      Array.from({ length: 8 }, (_, index) => () => write(store, `new ${index}`).catch(({ case: kind }) => kind)),
    );
    expect(outcomes.filter((outcome) => outcome === 'overloaded')).toHaveLength(7);
    expect(await count(store)).toBe(writesMax);
  });

  test('the oldest writes are forgotten for new ones, unless their client may still retry them', async () => {
    const store = await open();
    await fill(store, clock.now());
    expect(await write(store, 'first')).toBe('first');
    clock.advance(retriedMs + 5);
    expect(await write(store, 'second')).toBe('second');
    const oldest = store.db.selectFrom('admin_writes').select('key_digest').where('token_id', '=', owner).orderBy('at');
    expect(await oldest.limit(1).executeTakeFirst()).toEqual({ key_digest: 'key 5' });
    expect(await write(store, 'second')).toBe('second');
    expect(await count(store)).toBe(writesMax - 5);
  });
});
