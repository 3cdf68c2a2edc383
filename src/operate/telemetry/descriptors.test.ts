import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientsWithin, descriptorsMax } from './descriptors.ts';

test('clients, their provider calls and the process itself fit into every workable descriptor limit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 16, max: 2 ** 20 }), fc.integer({ min: 0, max: 100_000 }), (limit, callsMax) => {
      const clients = clientsWithin(limit, callsMax);
      const own = Math.min(200, Math.floor(limit / 4));
      expect(clients).toBeGreaterThan(0);
      expect(clients + Math.min(clients, callsMax) + own).toBeLessThanOrEqual(limit);
      // No client is rejected while there are free descriptors.
      expect(clients + 1 + Math.min(clients + 1, callsMax) + own).toBeGreaterThanOrEqual(limit);
    }),
  );
});

test('descriptorsMax returns the limit of this process if the system reports it', () => {
  expect(descriptorsMax() ?? 1024).toBeGreaterThanOrEqual(64);
});
