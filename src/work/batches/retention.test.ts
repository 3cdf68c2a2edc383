import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';
import { Files } from '../files/files.ts';
import { Batches } from './batches.ts';
import { lineBodies } from './line-bodies.ts';
import { storingLineBodies } from './storing-job.ts';

const vault = secretVault(createSecretKey(Buffer.alloc(32, 7)));
const accountId = 'acc_1';

forEachStore(({ open }) => {
  test('after days in which no process ran, the answers of an unfinished batch are still there, and other bodies go', async () => {
    const store = await open();
    const clock = manualClock();
    const files = new Files({ store, clock, newId: () => 'f', vault, limits: () => undefined as never });
    const batches = new Batches({
      store,
      newId: () => 'b',
      files,
      keepMs: () => 1,
      quota: () => undefined as never,
    });
    for (const id of ['answered', 'lost']) {
      const sealed = lineBodies.seal(vault, { accountId, id }, '{}');
      await store.commit(storingLineBodies, [{ id, accountId, createdAt: 1, sealed }]);
    }
    const line = { batch_id: 'b', line: 1, custom_id: 'l', chunk: 0, first_byte: 0, bytes: 1, status: 200 };
    const ended = { ...line, state: 'succeeded', request_id: 'answered', failures: 0, not_before: 0 } as const;
    await store.db.insertInto('batch_lines').values(ended).execute();
    const errors: unknown[] = [];
    const deletions = batches.retention((error) => void errors.push(error));
    deletions.start();
    const left = store.db.selectFrom('sealed_blobs').select('id').where('kind', '=', 'batch_lines');
    await expect.poll(async () => (await left.execute()).map(({ id }) => id)).toEqual(['answered']);
    deletions.stop();
    expect(errors).toEqual([]);
  });
});
