import { expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import { ProviderThings, thingsMax } from './provider-things.ts';

forEachStore(({ open }) => {
  const place = { upstream: 'claude', credential: 1 };

  test('a thing is found by the account that received its id, and by no other', async () => {
    const things = new ProviderThings(await open());
    await things.remember('a', ['container_1', 'file_1'], place);
    expect(await things.find('a', ['container_1', 'file_1', 'file_2'])).toEqual(
      new Map([
        ['container_1', place],
        ['file_1', place],
      ]),
    );
    expect(await things.find('b', ['container_1'])).toEqual(new Map());
    expect(await things.find('a', [])).toEqual(new Map());
    expect(await things.find('a', ['\0', 'container_1\0', 'x'.repeat(300), ''])).toEqual(new Map());
    await things.remember('a', ['file\0'], place);
  });

  test('the oldest of too many are forgotten, and ids that are too long', async () => {
    const store = await open();
    const things = new ProviderThings(store);
    await things.remember('other', ['kept'], place);
    const rows = Array.from({ length: thingsMax }, (_, at) => ({
      account_id: 'a',
      id: `old_${at}`,
      ...place,
      received_at: at,
    }));
    for (let start = 0; start < rows.length; start += 100) {
      await store.db
        .insertInto('provider_things')
        .values(rows.slice(start, start + 100))
        .execute();
    }
    await things.remember('a', ['new', 'x'.repeat(300), ''], place);
    const left = await store.db.selectFrom('provider_things').select('id').where('account_id', '=', 'a').execute();
    const ids = left.map(({ id }) => id);
    expect([ids.length, ids.includes('new'), ids.includes('old_0'), ids.includes('old_1')]).toEqual([
      1000,
      true,
      false,
      true,
    ]);
    expect((await things.find('other', ['kept'])).size).toBe(1);
  });

  test('after a month a thing is forgotten, and each use of the id in an answer renews it', async () => {
    const store = await open();
    const things = new ProviderThings(store);
    await things.remember('a', ['container_1'], place);
    const age = (received_at: number) => store.db.updateTable('provider_things').set({ received_at }).execute();
    await age(0);
    expect((await things.find('a', ['container_1'])).size).toBe(0);
    await things.remember('a', ['container_1'], place);
    expect((await things.find('a', ['container_1'])).size).toBe(1);
  });
});
