import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import type { Store } from '../../platform/store/store.ts';
import { joined } from '../../platform/store/joined.ts';
import { accounts } from './accounts.ts';
import { systemClock } from '../../core/time/clock.ts';

forEachStore(({ open }) => {
  let store: Store;
  let book: ReturnType<typeof accounts>;
  const clock = { ...systemClock, now: () => 1000, elapsed: () => 0 };

  beforeEach(async () => {
    store = await open();
    book = accounts(store, clock);
  });

  test('an account is found by its id and by its name', async () => {
    const account = await book.create({ name: 'demo', packageName: 'standard', credit: '5.00' });
    expect(account).toEqual({
      id: expect.stringMatching(/^acc_[0-9A-Za-z]{16}$/),
      name: 'demo',
      packageName: 'standard',
      status: 'active',
      timeZone: 'UTC',
      billing: 'prepaid',
      limits: [],
      credit: '5.00',
      source: 'store',
      createdAt: 1000,
    });
    expect(await book.find(account.id)).toEqual(account);
    expect(await book.find('demo')).toEqual(account);
    expect(await book.list()).toEqual([account]);
  });

  test('two accounts cannot have the same name', async () => {
    await book.create({ name: 'demo', packageName: 'standard' });
    await expect(book.create({ name: 'demo', packageName: 'other' })).rejects.toThrow(/unique/i);
    expect(await book.list()).toHaveLength(1);
  });

  test('every change of an account is published to the change feed', async () => {
    const { id } = await book.create({ name: 'demo', packageName: 'standard' });
    await book.suspend(id);
    expect((await book.find(id))?.status).toBe('suspended');
    await book.resume(id);
    expect((await book.find(id))?.status).toBe('active');
    expect(await published()).toEqual([id, id, id]);
  });

  test('suspending an account aborts running streams only on request', async () => {
    const { id } = await book.create({ name: 'demo', packageName: 'standard' });
    const aborts = () => store.db.selectFrom('changes').select('subject').where('topic', '=', 'cut').execute();
    await book.suspend(id);
    expect(await aborts()).toEqual([]);
    await book.suspend(id, { terminateStreams: true });
    expect(await aborts()).toEqual([{ subject: id }]);
  });

  test('an account of the file is created once, follows the package in the file and keeps its other values', async () => {
    await book.ensure([{ name: 'demo', package: 'standard', credit: '5.00' }]);
    const made = await book.find('demo');
    expect(made).toMatchObject({ packageName: 'standard', credit: '5.00', source: 'file' });
    await book.suspend(made!.id);
    await book.ensure([{ name: 'demo', package: 'premium', credit: '9.00' }]);
    expect(await book.find('demo')).toEqual({ ...made, packageName: 'premium', status: 'suspended' });
  });

  test('applying the same file again changes nothing and publishes nothing', async () => {
    await book.ensure([{ name: 'demo', package: 'standard' }]);
    const before = await published();
    await book.ensure([{ name: 'demo', package: 'standard' }]);
    expect(await published()).toEqual(before);
  });

  test('processes that start at the same time with the same file create its accounts once', async () => {
    const handles = await Promise.all([open(), open(), open(), open()]);
    const specs = ['a', 'b', 'c'].map((name) => ({ name, package: 'standard' }));
    await Promise.all(handles.map((handle) => accounts(handle, clock).ensure(specs)));
    expect(await book.list()).toHaveLength(3);
  });

  test('a file that names an account created elsewhere leaves it unchanged', async () => {
    const account = await book.create({ name: 'demo', packageName: 'mine' });
    await book.ensure([{ name: 'demo', package: 'standard', credit: '5.00' }]);
    expect(await book.find('demo')).toEqual(account);
  });

  test('a failed transaction creates no accounts', async () => {
    const failed = store.transaction(async (tx) => {
      await accounts(joined(store, tx), clock).ensure([{ name: 'demo', package: 'standard' }]);
      throw new Error('bad file');
    });
    await expect(failed).rejects.toThrow('bad file');
    expect(await book.list()).toEqual([]);
  });

  async function published(): Promise<string[]> {
    const rows = await store.db.selectFrom('changes').select('subject').where('topic', '=', 'account').execute();
    return rows.map((row) => row.subject);
  }
});
