import { expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { periodicDeletion } from './periodic-deletion.ts';

const onError = (error: unknown) => expect.fail(String(error));

forEachStore((stores) => {
  test('one of the processes that share a store deletes, and the others skip that run', async () => {
    const deleted: string[] = [];
    let checks = 0;
    const haveChecked = async (count: number): Promise<void> => {
      await expect.poll(() => checks, { message: 'each process has checked whether a run is due' }).toBe(count);
    };
    let nowMs = Date.now();
    const rounds = await Promise.all(
      ['one', 'other'].map(async (name) => {
        const store = await stores.open({
          now: () => nowMs,
          log: ({ query }) => void (checks += Number(query.sql.startsWith('insert into "settings"'))),
        });
        const deleteBatch = async (): Promise<boolean> => deleted.push(name) < 0;
        return { store, rounds: periodicDeletion({ store, what: 'rows', onError }, [deleteBatch]) };
      }),
    );
    for (const each of rounds) each.rounds.start();
    await haveChecked(2);
    await eventually(() => expect(deleted).toHaveLength(1));
    const [{ store }] = rounds as [(typeof rounds)[0]];
    const another = periodicDeletion({ store, what: 'other rows', onError }, [async () => deleted.push('another') < 0]);
    another.start();
    await haveChecked(3);
    await eventually(() => expect(deleted).toHaveLength(2));
    nowMs += 600_000;
    await store.db.updateTable('settings').set({ value: '0' }).where('name', '=', 'deleted rows').execute();
    for (const each of rounds) each.rounds.start();
    await haveChecked(5);
    await eventually(() => expect(deleted).toHaveLength(3));
    for (const each of [...rounds.map((one) => one.rounds), another]) each.stop();
  });

  test('a failed deletion is reported, and the other kinds of rows are still deleted', async () => {
    const store = await stores.open();
    const reported: string[] = [];
    const deleted: string[] = [];
    const unable = () => Promise.reject(new Error('in the way'));
    const able = async (): Promise<boolean> => deleted.push('able') < 0;
    const parts = {
      store,
      what: 'rows',
      onError: (error: unknown, what: string) => void reported.push(`${what}: ${String(error)}`),
    };
    const rounds = periodicDeletion(parts, [unable, able]);
    rounds.start();
    await eventually(() => expect(deleted).toEqual(['able']));
    rounds.stop();
    expect(reported).toEqual(['rows: Error: in the way']);
  });

  test('a process skips its run if another process wrote the start time while its statement waited', async () => {
    const checks: string[] = [];
    const store = await stores.open({ log: ({ query }) => void checks.push(query.sql) });
    const deleted: string[] = [];
    const alreadyWritten = String(Date.now() + 60_000);
    await store.db.insertInto('settings').values({ name: 'deleted rows', value: alreadyWritten }).execute();
    checks.length = 0;
    const rounds = periodicDeletion({ store, what: 'rows', onError }, [async () => deleted.push('a row') < 0]);
    rounds.start();
    await eventually(() => expect(checks).toHaveLength(1));
    await store.db.selectFrom('settings').selectAll().execute();
    rounds.stop();
    expect(deleted).toEqual([]);
  });

  test('rows are deleted even after the clock was set back', async () => {
    const store = await stores.open();
    const deleted: string[] = [];
    const tomorrow = String(Date.now() + 86_400_000);
    await store.db.insertInto('settings').values({ name: 'deleted rows', value: tomorrow }).execute();
    const deleteBatch = async (): Promise<boolean> => deleted.push('a row') < 0;
    const rounds = periodicDeletion({ store, what: 'rows', onError }, [deleteBatch]);
    rounds.start();
    await eventually(() => expect(deleted).toHaveLength(1));
    rounds.stop();
  });
});
