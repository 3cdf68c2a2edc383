import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import { secretVault } from '../secrets/secret-vault.ts';
import { storedResponses } from '../../work/responses/stored-responses.ts';
import { storingResponses } from '../../work/responses/storing-job.ts';
import { SealedBlobs } from './sealed-blobs.ts';

const vault = secretVault(createSecretKey(Buffer.alloc(32, 7)));
const bodies = new SealedBlobs({ kind: 'bodies', batchSize: 10 });
const name = { id: 'x', accountId: 'a' };

forEachStore(({ open }) => {
  test('a blob of one kind is not found, counted, deleted or decrypted as one of another kind', async () => {
    const store = await open();
    const sealed = storedResponses.seal(vault, name, 'hello');
    await store.commit(storingResponses, [{ ...name, createdAt: 5, sealed, itemIds: [] }]);
    const quota = { bytesMax: 0, onError: (error: unknown) => expect.unreachable(String(error)) };
    await bodies.enforceQuota(store, new Map([['a', sealed.length]]), quota);
    expect(await bodies.deleteOlder(store, 10)).toBe(false);
    expect(await store.transaction((tx) => bodies.delete(tx, ['x']))).toBe(0);
    expect(await bodies.find(store, { ids: ['x'] })).toEqual([]);
    expect(await bodies.total(store)).toEqual({ count: 0, bytes: 0 });
    const [row] = await storedResponses.find(store, { ids: ['x'] });
    expect(bodies.open(vault, row!)).toEqual({ ok: false, reason: 'damaged' });
    expect(storedResponses.open(vault, row!)).toEqual({ ok: true, secret: 'hello' });
    expect(await storedResponses.total(store)).toEqual({ count: 1, bytes: sealed.length });
  });
});
