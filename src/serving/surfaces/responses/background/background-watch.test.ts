import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { manualClock } from '../../../../../test/clocks/manual-clock.ts';
import type { BackgroundRequest } from '../../../../work/batches/background-requests.ts';
import { BackgroundWatches } from './background-watch.ts';

function watched() {
  const clock = manualClock();
  const looks: string[] = [];
  let state = 'queued';
  const find = (accountId: string, id: string) => {
    looks.push(`${accountId} ${id}`);
    return Promise.resolve({ batch: { id }, line: { state } } as BackgroundRequest);
  };
  const watches = new BackgroundWatches({ clock, requests: { find } });
  return { clock, looks, watches, become: (next: string) => (state = next) };
}

test('all readers of a queued response share one look, less often the longer it waits', async () => {
  const { clock, looks, watches } = watched();
  const readers = Array.from({ length: 20 }, () => watches.enter('a', 'one'));
  const next = () => Promise.all(readers.map((reader) => reader.next()));
  await next();
  expect(looks).toEqual(['a one']);
  for (const pauseMs of [200, 400, 800, 1000, 1000]) {
    const before = looks.length;
    const found = next();
    clock.advance(pauseMs - 1);
    await setImmediate();
    expect(looks).toHaveLength(before);
    clock.advance(1);
    await found;
    expect(looks).toHaveLength(before + 1);
  }
});

test('a reader that enters, and the begin of the answer in this process, end the pause', async () => {
  const { looks, watches, become } = watched();
  const first = watches.enter('a', 'one');
  await first.next();
  const second = first.next();
  const other = watches.enter('a', 'one');
  await Promise.all([second, other.next()]);
  expect(looks).toHaveLength(2);
  become('running');
  const third = first.next();
  watches.wake('one');
  expect((await third)?.line?.state).toBe('running');
  expect(looks).toHaveLength(3);
});

test('a reader of another account shares nothing, and a response without readers is forgotten', async () => {
  const { looks, watches } = watched();
  const [own, foreign] = [watches.enter('a', 'one'), watches.enter('b', 'one')];
  await Promise.all([own.next(), foreign.next()]);
  expect(looks).toEqual(['a one', 'b one']);
  own.leave();
  foreign.leave();
  await watches.enter('a', 'one').next();
  expect(looks).toHaveLength(3);
});
