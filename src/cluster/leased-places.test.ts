import { expect, test } from 'vitest';
import type { AccountDemand } from './arbiter.ts';
import { LeasedPlaces } from './leased-places.ts';

test('an account that is named again after a break has not used all of it anew', () => {
  const places = new LeasedPlaces('provider', { state: 'leased', processes: 2, isLong: false, reportSoon: () => {} });
  let demands: readonly AccountDemand[] = [];
  const heard = (): void => {};
  places.use({ limit: 10, waiting: 0, demands: () => demands, lookAgain: () => {}, heard });
  const told = (used: number | undefined): number | undefined => {
    demands = used === undefined ? [] : [{ id: 'ann', weight: 1, running: 1, waiting: 0, used }];
    return places.claim('this process').accounts[0]?.used;
  };
  expect([told(0), told(100), told(150)]).toEqual([0, 100, 150]);
  // It was idle for a moment; others have heard of those 150 already.
  expect([told(undefined), told(150), told(170)]).toEqual([undefined, 0, 20]);
  // It was forgotten here, and begins at nothing.
  expect([told(10), told(30)]).toEqual([0, 20]);
});
