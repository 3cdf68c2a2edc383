import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../core/time/clock.ts';
import { forEachStore, testStores } from '../../../../test/stores/stores.ts';
import { slowDown } from './throttle.ts';

const stores = testStores('sqlite');

async function started() {
  const time = { ms: 0 };
  const clock: Clock = { ...systemClock, now: () => time.ms, elapsed: () => time.ms };
  const delays: number[] = [];
  const pause = (ms: number) => Promise.resolve(void delays.push(ms));
  const store = await stores.open();
  const throttle = slowDown({ store, clock, pause, realm: 'test' });
  /** Returns the delay of one attempt. */
  async function attempt(status: number, name = 'ann', address = '10.0.0.1'): Promise<number> {
    const before = delays.length;
    const { signal } = new AbortController();
    await throttle.attempt({ name, address, signal }, () => Promise.resolve({ status }));
    return delays.slice(before).reduce((sum, delay) => sum + delay, 0);
  }
  async function attempts(count: number, ...rest: [number, string?, string?]): Promise<readonly number[]> {
    const waits: number[] = [];
    for (let index = 0; index < count; index += 1) waits.push(await attempt(...rest));
    return waits;
  }
  return { time, store, throttle, attempt, attempts };
}

const ignored = new AbortController().signal;

test('the first 5 failures add no delay, then the delay doubles up to 8 s', async () => {
  const { attempts } = await started();
  expect(await attempts(14, 401)).toEqual([0, 0, 0, 0, 0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000, 8000]);
});

test('attempts for one name are checked one at a time, from any address', async () => {
  const { throttle } = await started();
  let running = 0;
  let most = 0;
  const guesses = Array.from({ length: 5 }, (_, index) =>
    throttle.attempt({ name: 'ann', address: `10.0.0.${index}`, signal: ignored }, async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return { status: 401 };
    }),
  );
  await Promise.all(guesses);
  expect(most).toBe(1);
});

test('an attempt that throws does not block the next one', async () => {
  const { throttle, attempt } = await started();
  const failed = throttle.attempt({ name: 'ann', signal: ignored }, () => Promise.reject(new Error('no store')));
  await expect(failed).rejects.toThrow('no store');
  expect(await attempt(200)).toBe(0);
});

test('an address that tries many names is delayed later and less than a name', async () => {
  const { attempt } = await started();
  const waits: number[] = [];
  for (let index = 0; index < 40; index += 1) waits.push(await attempt(401, `name ${index}`));
  expect(waits.slice(0, 30).every((wait) => wait === 0)).toBe(true);
  expect(waits.slice(30)).toEqual([250, 500, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000]);
  expect(await attempt(401, 'another', '10.0.0.2')).toBe(0);
});

test('a name counts once against its address, and not at all after a success', async () => {
  const { attempt, attempts } = await started();
  await attempts(40, 401, 'one');
  for (let index = 0; index < 40; index += 1) await attempt(200, `right ${index}`);
  expect(await attempt(401, 'other')).toBe(0);
});

test('a success resets the failures of the name', async () => {
  const { attempt, attempts } = await started();
  await attempts(8, 401);
  await attempt(200);
  expect(await attempt(401)).toBe(0);
});

test('after 30 quiet minutes the delay is at most 250 ms, later none, and expired rows are deleted', async () => {
  const { time, store, attempt, attempts } = await started();
  for (let name = 0; name < 10; name += 1) await attempt(401, `name ${name}`);
  await attempts(200, 401);
  time.ms += 30 * 60_000;
  expect((await attempts(2, 401)).every((wait) => wait <= 250)).toBe(true);
  time.ms += 60 * 60_000;
  expect(await attempts(5, 401)).toEqual([0, 0, 0, 0, 0]);
  // Each attempt has three rows: name, address and pair. A new attempt deletes expired rows.
  await attempt(401, 'stranger new', '10.0.0.9');
  expect(await store.db.selectFrom('leaky_counts').select('name').execute()).toHaveLength(6);
});

forEachStore((shared) => {
  test('attempts at several processes are delayed as at one process, and checked one at a time', async () => {
    const delays: number[] = [];
    const held: (() => void)[] = [];
    const pause = (ms: number) => {
      delays.push(ms);
      return new Promise<void>((go) => held.push(go));
    };
    const clock: Clock = { ...systemClock, now: () => 0, elapsed: () => 0 };
    const processes = await Promise.all(
      [1, 2].map(async () => slowDown({ store: await shared.open(), clock, pause, realm: 'test' })),
    );
    const [one, other] = processes as [(typeof processes)[0], (typeof processes)[0]];
    let checked = 0;
    const guess = (throttle: typeof one) =>
      throttle.attempt({ name: 'ann', signal: ignored }, () => {
        checked += 1;
        return Promise.resolve({ status: 401 });
      });
    for (const throttle of [one, other, one, other, one]) await guess(throttle);
    expect(delays).toEqual([]);
    const guesses = Promise.all([guess(one), guess(other)]);
    await expect.poll(() => held.length, { message: 'both guesses wait' }).toBe(2);
    for (const go of held.splice(0)) go();
    await expect.poll(() => held.length, { message: 'one was checked, the other waits again' }).toBe(1);
    expect([delays, checked]).toEqual([[250, 250, 500], 6]);
    held.pop()?.();
    await guesses;
    expect(checked).toBe(7);
  });
});
