import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { eventually } from '../../../test/eventually.ts';
import { repeat } from './follow.ts';

test('an import is repeated until it is stopped, also after a round that fails', async () => {
  const clock = manualClock(0);
  const stopped = new AbortController();
  const seen: string[] = [];
  let rounds = 0;
  const running = repeat({
    clock,
    everyMs: 30_000,
    stopped: stopped.signal,
    round: () => {
      rounds += 1;
      return rounds === 2 ? Promise.reject(new Error('unreachable')) : Promise.resolve(rounds);
    },
    done: (round) => seen.push(`round ${round}`),
    failed: (error) => seen.push(String(error)),
  });
  for (const count of [1, 2, 3]) {
    await eventually(() => expect(seen).toHaveLength(count));
    await eventually(() => expect(clock.pending).toBe(1));
    if (count < 3) clock.advance(30_000);
  }
  stopped.abort();
  await running;
  expect(seen).toEqual(['round 1', 'Error: unreachable', 'round 3']);
});

test('an import whose first round fails is not repeated', async () => {
  const round = () => Promise.reject(new Error('wrong address'));
  const parts = { clock: manualClock(0), everyMs: 1000, stopped: new AbortController().signal, round };
  await expect(repeat({ ...parts, done: () => undefined, failed: () => undefined })).rejects.toThrow('wrong address');
});
