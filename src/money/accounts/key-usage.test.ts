import { expect, test } from 'vitest';
import { storeBetween } from '../../../test/stores/store-between.ts';
import { testStores } from '../../../test/stores/stores.ts';
import { keyUsage } from './key-ring.ts';

const stores = testStores('sqlite');

test('an unreachable store does not block shutdown', async () => {
  let queries = 0;
  const unreachable = storeBetween(await stores.open(), () => {
    queries += 1;
    return Promise.reject(new Error('away'));
  });
  const usage = keyUsage(unreachable);
  usage.mark('key_1', 1);
  await expect(usage.stop()).resolves.toBeUndefined();
  expect(queries).toBe(1);
});
