import { expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { forEachStore } from '../../test/stores.ts';
import { deletionRounds } from './deletion-rounds.ts';

forEachStore((stores) => {
  test('of the processes that share a store one deletes, and the others leave it to that one for a while', async () => {
    const deleted: string[] = [];
    let nowMs = Date.now();
    const rounds = await Promise.all(
      ['one', 'other'].map(async (name) => {
        const store = await stores.open({ now: () => nowMs });
        const turn = async (): Promise<boolean> => deleted.push(name) < 0;
        return { store, rounds: deletionRounds({ store, what: 'rows' }, [turn]) };
      }),
    );
    for (const each of rounds) each.rounds.start();
    await eventually(() => expect(deleted).toHaveLength(1));
    const [{ store }] = rounds as [(typeof rounds)[0]];
    const another = deletionRounds({ store, what: 'other rows' }, [async () => deleted.push('another') < 0]);
    another.start();
    await eventually(() => expect(deleted).toHaveLength(2));
    nowMs += 600_000;
    await store.db.updateTable('settings').set({ value: '0' }).where('name', '=', 'deleted rows').execute();
    for (const each of rounds) each.rounds.start();
    await eventually(() => expect(deleted).toHaveLength(3));
    for (const each of [...rounds.map((one) => one.rounds), another]) each.stop();
  });
});
