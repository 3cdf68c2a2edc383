import { expect } from 'vitest';
import { verifyLedger } from '../../src/billing/verify.ts';
import type { TestGateway } from '../gateway.ts';

const nothing = { exchanges: 0, answers: 0, waiting: 0, calls: 0, retries: 0, holds: 0 };

/** What must be true after every fault: nobody is served or waits, nothing is held, and the books are right. */
export async function expectNothingLeft({ gateway }: TestGateway): Promise<void> {
  await expect.poll(() => ({ ...gateway.inFlight(), ...gateway.taken() }), { timeout: 5000 }).toEqual(nothing);
  const { checks } = await verifyLedger(gateway.store);
  expect(checks.flatMap(({ title, violations }) => violations.map((each) => `${title}: ${each}`))).toEqual([]);
}
