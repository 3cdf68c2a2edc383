import { setImmediate as settled } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { manualClock } from '../../test/clocks/manual-clock.ts';
import { CatalogFollower } from './catalog-follower.ts';

test('the follower retries an unreadable catalog with growing delays, until it succeeds or is stopped', async () => {
  const clock = manualClock();
  const errors: string[] = [];
  const readAt: number[] = [];
  let isUnreachable = true;
  const refresh = async (): Promise<void> => {
    readAt.push(clock.elapsed());
    if (isUnreachable) throw new Error('the store is unreachable');
  };
  const follower = new CatalogFollower({ clock, refresh, onError: (reason) => errors.push(reason) });
  const advance = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000);
      await settled();
    }
  };
  follower.follow();
  await settled();
  await advance(100);
  expect(readAt.map((ms) => ms / 1000)).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
  expect(errors).toEqual(['Error: the store is unreachable']);

  isUnreachable = false;
  await advance(100);
  expect(readAt.slice(8).map((ms) => ms / 1000)).toEqual([121]);

  isUnreachable = true;
  follower.follow();
  await settled();
  follower.stop();
  await advance(100);
  expect([readAt.length, clock.pending, errors.length]).toEqual([10, 0, 2]);
});
