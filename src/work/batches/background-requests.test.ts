import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';
import type { KeyHolder } from '../../core/caller.ts';
import { Files } from '../files/files.ts';
import { BackgroundRequests } from './background-requests.ts';
import type { Batches } from './batches.ts';

const clock = manualClock();
const vault = secretVault(createSecretKey(Buffer.alloc(32, 7)));
const key = { accountId: 'acc_1', keyId: 'key_1' } as unknown as KeyHolder;
const limits = () => ({ fileBytesMax: 1e6, accountBytesMax: 1e6, accountFilesMax: 9, lineBytesMax: 1e6 });
const request = { id: 'r1', key, host: '', address: '', headers: {}, body: '{"model":"m"}', opening: '{}' };

forEachStore(({ open }) => {
  test.each([
    { fault: 'whose commit is not confirmed', commits: true, inputs: 1 },
    { fault: 'that was not created', commits: false, inputs: 0 },
  ])('a response $fault keeps $inputs inputs', async ({ commits, inputs }) => {
    const store = await open();
    let ids = 0;
    const newId = () => `2026${String((ids += 1)).padStart(13, '0')}`;
    const files = new Files({ store, vault, clock, newId, limits });
    const batches = { onWork() {} } as unknown as Batches;
    const quota = () => undefined as never;
    const settings = () => ({ backgroundMax: 9 });
    const requests = new BackgroundRequests({ store, vault, newId, files, batches, quota, settings, keepMs: () => 1 });
    const creation = requests.create(request, {
      admit: async () => 'first',
      async once(create) {
        if (commits) await create(store);
        throw new Error('the connection was lost');
      },
    });
    await expect(creation).rejects.toThrow('the connection was lost');
    expect(await store.db.selectFrom('files').select('state').execute()).toHaveLength(inputs);
    const found = await requests.find(key.accountId, request.id);
    expect(found && (await requests.bodyOf(found.batch))).toEqual(commits ? { model: 'm' } : undefined);
  });
});
