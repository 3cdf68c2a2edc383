import { expect, test } from 'vitest';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { priceOf } from '../../../platform/config/schema/model-price.ts';
import { rememberedPrice, rememberPrices } from './price-book.ts';

forEachStore(({ open }) => {
  test('a stored version returns all its figures, including those of tools', async () => {
    const store = await open();
    const withoutTools = priceOf({ input: '1', output: '2' });
    const withTools = priceOf({ input: '1', output: '2', providerTools: { web_search: '10.00', web_fetch: '0' } });
    await rememberPrices(store, [withoutTools, withTools]);
    expect(await rememberedPrice(store, withoutTools.version)).toEqual(withoutTools);
    expect(await rememberedPrice(store, withTools.version)).toEqual(withTools);
    expect(withoutTools.version).not.toBe(withTools.version);
  });
});
