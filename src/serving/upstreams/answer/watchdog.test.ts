import { expect, test, vi } from 'vitest';
import { systemClock } from '../../../core/time/clock.ts';
import { Watchdog } from './watchdog.ts';

test('a timeout longer than the maximum of a timer does not fire immediately', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  new Watchdog(systemClock, { firstEvent: 3e9, idle: 3e9, total: 3e9 }, () => {}).stop();
  expect(timers.mock.lastCall?.[1]).toBe(2_147_483_647);
  timers.mockRestore();
});
