import { expect, test } from 'vitest';
import { forEachStore, storeHomes } from '../../../test/stores/stores.ts';
import type { PiggybackedWrite } from './commits.ts';
import { writingSettings } from '../../../test/fixtures/store/jobs.ts';
import { taskOf } from './job.ts';
import type { Store } from './store.ts';

forEachStore(
  ({ engine, open }) => {
    const storedSettings = async ({ db }: Store) =>
      (await db.selectFrom('settings').selectAll().orderBy('name').execute()).map(Object.values);

    /** Offers one write, once. */
    function piggybackSource(store: Store, settings: readonly (readonly [string, string | null])[]) {
      const outcomes: unknown[] = [];
      const piggybackedWrites: PiggybackedWrite[] = [
        {
          task: taskOf(writingSettings, settings),
          taken: () => outcomes.push('taken'),
          refused: () => outcomes.push('refused'),
        },
      ];
      store.piggyback(() => piggybackedWrites.pop());
      return outcomes;
    }

    test('a job is written completely or not at all, and returns its result', async () => {
      const store = await open();
      expect(
        await store.commit(writingSettings, [
          ['a', '1'],
          ['b', '2'],
        ]),
      ).toBe(2);
      await expect(
        store.commit(writingSettings, [
          ['c', '3'],
          ['d', null],
        ]),
      ).rejects.toThrow(/null/i);
      await expect(
        store.commit(writingSettings, [
          ['e', null],
          ['f', '6'],
        ]),
      ).rejects.toThrow(/null/i);
      expect(await storedSettings(store)).toEqual([
        ['a', '1'],
        ['b', '2'],
      ]);
      expect(await store.commit(writingSettings, [['g', '7']])).toBe(1);
    });

    test('a piggybacked write shares the transaction of the job', async () => {
      const store = await open();
      const outcomes = piggybackSource(store, [
        ['a', '1'],
        ['b', '2'],
      ]);
      expect(await store.commit(writingSettings, [['c', '3']])).toBe(1);
      expect(outcomes).toEqual([]);
      expect(await store.commitTogether(writingSettings, [['d', '4']])).toBe(1);
      expect(outcomes).toEqual(['taken']);
      expect((await storedSettings(store)).map(([name]) => name)).toEqual(['a', 'b', 'c', 'd']);
      if (engine === 'sqlite') return;
      const written = await store.db
        .withTables<{ settings: { name: string; xmin: string } }>()
        .selectFrom('settings')
        .select('xmin')
        .distinct()
        .where('name', '<>', 'c')
        .execute();
      expect(written).toHaveLength(1);
    });

    test('a job is committed although the store rejects the piggybacked write', async () => {
      const store = await open();
      const outcomes = piggybackSource(store, [
        ['a', '1'],
        ['b', null],
      ]);
      expect(await store.commitTogether(writingSettings, [['c', '3']])).toBe(1);
      expect(outcomes).toEqual(['refused']);
      expect(await storedSettings(store)).toEqual([['c', '3']]);
    });

    test('characters that a database cannot store are replaced, and the rest of the text is written', async () => {
      const store = await open();
      await store.commit(writingSettings, [
        ['a\0b', '\ud800 and \\u0000'],
        ['c', 'π \u2028 "'],
      ]);
      expect(await storedSettings(store)).toEqual([
        [engine === 'postgres' ? 'a\u{FFFD}b' : 'a\0b', '\u{FFFD} and \\u0000'],
        ['c', 'π \u2028 "'],
      ]);
    });
  },
  'made',
  storeHomes,
);
