import { expect, test } from 'vitest';
import { ledgerChecks } from '../../../packages/dashboard/src/pages/system/ledger-checks.ts';
import { verifyLedger } from '../../../src/money/billing/ledger/verify.ts';
import { testStores } from '../../stores/stores.ts';

const { open } = testStores('sqlite');

test('the dashboard has a text for every check of the ledger, and for no other', async () => {
  const { checks } = await verifyLedger(await open());
  expect(Object.keys(ledgerChecks).toSorted()).toEqual(checks.map(({ title }) => title).toSorted());
});
