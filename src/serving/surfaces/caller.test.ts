import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import type { Catalog } from '../../money/catalog/catalog.ts';
import { noRules } from '../../money/catalog/site-rules.ts';
import { addressRanges } from '../../core/address-ranges.ts';
import type { KeyHolder } from '../../core/caller.ts';
import type { Exchange } from '../http/exchange.ts';
import { claimedCaller } from './caller.ts';

const holder = (addresses: readonly string[], cap = 1n): KeyHolder => ({
  keyId: 'key',
  keyName: 'key',
  accountId: 'account',
  accountName: 'account',
  packageName: 'standard',
  models: undefined,
  addresses: addressRanges([...addresses]),
  limits: [{ scope: 'key', subjectId: 'key', amount: cap }],
});

test.each([
  [
    'it is still allowed from this address, with a lower cap',
    ['127.0.0.0/8'],
    { limits: [{ scope: 'key', subjectId: 'key', amount: 0n }] },
  ],
  ['it is no longer allowed from this address', ['10.0.0.0/8'], { case: 'address-not-allowed' }],
])('a key cached during a store outage is confirmed with its current state: %s', async (_, addresses, found) => {
  const store = Promise.withResolvers<KeyHolder | undefined>();
  const keys = { holder: () => store.promise, remembered: () => holder(['127.0.0.1']) };
  const catalog = { siteFor: () => undefined, rulesOf: () => noRules } as unknown as Catalog;
  const exchange = { address: '127.0.0.1', host: 'here' } as unknown as Exchange;
  const clock = manualClock();
  const { confirm } = await claimedCaller(
    { keys, inference: { current: () => ({ catalog }) }, clock },
    exchange,
    () => 'secret',
  );
  const confirmed = confirm!({ deadlineMs: 1000 }).catch((error: unknown) => error);
  store.resolve(holder(addresses, 0n));
  expect(await confirmed).toMatchObject(found);
});
