import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';
import { dayMs, hourMs } from '../../core/time/calendar-day.ts';
import { systemClock } from '../../core/time/clock.ts';
import { Files } from './files.ts';

const vault = secretVault(createSecretKey(Buffer.alloc(32, 7)));
const limit = 1024 * 1024;
const limits = () => ({ fileBytesMax: limit, accountBytesMax: limit, accountFilesMax: 10, lineBytesMax: limit });
const terms = { accountId: 'acc_1', keyId: 'key_1', purpose: 'batch', filename: 'a.jsonl', keepMs: hourMs };

forEachStore(({ open }) => {
  /** The files of a process whose clock differs from that of the database. */
  async function processWith(name: string, aheadMs: number) {
    const store = await open();
    const clock = manualClock(systemClock.now() + aheadMs);
    let ids = 0;
    return new Files({ store, vault, clock, newId: () => `${name}${(ids += 1)}`, limits });
  }

  /** Deletes what is due, and resolves once a file that expired long ago is gone. It is the last one in order. */
  async function deleteOld(files: Files): Promise<void> {
    const { db } = await open();
    const writer = await files.create({ ...terms, accountId: 'acc_old' });
    await writer.end();
    const old = { id: 'file-z', expires_at: 1 };
    await db.updateTable('files').set(old).where('account_id', '=', 'acc_old').execute();
    const errors: unknown[] = [];
    const deletions = files.retention((error) => void errors.push(error));
    deletions.start();
    const left = db.selectFrom('files').select('id').where('id', '=', 'file-z');
    await expect.poll(() => left.execute()).toEqual([]);
    deletions.stop();
    expect(errors).toEqual([]);
  }

  test('a process whose clock is days ahead deletes no upload and no file of others, and finds their files', async () => {
    const [normal, ahead] = [await processWith('n', 0), await processWith('a', 3 * dayMs)];
    const upload = await normal.create(terms);
    const ready = await (await normal.create(terms)).end();
    const input = await (await normal.create({ ...terms, state: 'internal' })).end();
    await deleteOld(ahead);
    expect((await ahead.list('acc_1', { purpose: undefined, after: undefined, order: 'asc', limit: 9 })).length).toBe(
      1,
    );
    expect(await ahead.find('acc_1', ready.id)).toMatchObject({ id: ready.id });
    expect(await ahead.find('acc_1', input.id, 'internal')).toMatchObject({ id: input.id });
    await upload.add(Buffer.from('{}\n'));
    expect(await upload.end()).toMatchObject({ lines: 1, state: 'ready' });
  });

  test('other processes keep the upload and the file of a process whose clock is days behind', async () => {
    const [normal, behind] = [await processWith('n', 0), await processWith('b', -3 * dayMs)];
    const upload = await behind.create(terms);
    const { id } = await (await behind.create(terms)).end();
    await deleteOld(normal);
    expect(await normal.find('acc_1', id)).toMatchObject({ id });
    expect(await upload.end()).toMatchObject({ state: 'ready' });
  });
});
