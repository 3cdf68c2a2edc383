import { expect, test } from 'vitest';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { priceOf } from '../../../platform/config/schema/model-price.ts';
import { rememberedPrice, rememberPrices } from './price-book.ts';

forEachStore(({ open }) => {
  test('a stored version returns all its figures, including those of tools', async () => {
    const store = await open();
    const withoutTools = priceOf({ input: '1', output: '2' });
    const withTools = priceOf({ input: '1', output: '2', providerTools: { web_search: '10.00', web_fetch: '0' } });
    const window = { days: ['mon' as const], from: '00:30', to: '08:30' };
    const tiers = [{ when: window, factor: '0.5' }];
    const withWindow = priceOf({ input: '1', output: '2', timeZone: 'Asia/Shanghai', tiers });
    await rememberPrices(store, [withoutTools, withTools, withWindow]);
    expect(await rememberedPrice(store, withWindow.version)).toEqual(withWindow);
    expect(await rememberedPrice(store, withoutTools.version)).toEqual(withoutTools);
    expect(await rememberedPrice(store, withTools.version)).toEqual(withTools);
    expect(withoutTools.version).not.toBe(withTools.version);
  });

  test('a version that was stored before caches of 30 minutes and 12 hours had prices returns the prices charged then', async () => {
    const store = await open();
    const written = { input: '2', cacheWrite5m: '2.5', cacheWrite1h: '4', output: '10' };
    const price = priceOf({ ...written, tiers: [{ when: { promptOver: 10 }, ...written, input: '3' }] });
    const older = (name: string, value: unknown) =>
      name === 'cacheWrite30m' || name === 'cacheWrite12h' || name === 'version'
        ? undefined
        : typeof value === 'bigint'
          ? String(value)
          : value;
    await store.db
      .insertInto('price_versions')
      .values({ version: price.version, price: JSON.stringify(price, older) })
      .execute();
    expect(await rememberedPrice(store, price.version)).toEqual(price);
  });
});
