import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { testStores } from '../../../../test/stores/stores.ts';
import { type Clock, systemClock } from '../../../core/time/clock.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import { type SignInThrottle, signInThrottle } from './sign-in-throttle.ts';
import type { ConsoleParts } from '../parts.ts';

const stores = testStores('sqlite');
const exchange = {
  address: '10.0.0.1',
  gone: new AbortController().signal,
  header: () => undefined,
} as unknown as Exchange;

async function started() {
  const clock: Clock = { ...systemClock, now: () => 0, elapsed: () => 0 };
  let waited = 0;
  const pause = (ms: number) => Promise.resolve(void (waited += ms));
  const pepper = createSecretKey(Buffer.from('pepper'));
  const parts = { store: await stores.open(), clock, pause, pepper } as unknown as ConsoleParts;
  const throttle = signInThrottle(parts);
  /** The delay of the last of `times` wrong attempts. */
  const wrong = async (kind: keyof Omit<SignInThrottle, 'devices'>, name: string, times: number): Promise<number> => {
    let last = 0;
    for (let time = 0; time < times; time += 1) {
      waited = 0;
      await throttle[kind](exchange, name, () => Promise.resolve({ status: 401 } as never));
      last = waited;
    }
    return last;
  };
  return { wrong };
}

test.each([
  ['ownPassword', 'code'],
  ['code', 'ownPassword'],
] as const)('wrong attempts of the kind %s do not delay the kind %s', async (guessed, other) => {
  const { wrong } = await started();
  expect(await wrong(guessed, 'usr_ann', 8)).toBeGreaterThan(0);
  expect(await wrong(other, 'usr_ann', 5)).toBe(0);
  // Nor do the attempts for one user delay another user.
  expect(await wrong(guessed, 'usr_bob', 5)).toBe(0);
  expect(await wrong(other, 'usr_ann', 1)).toBeGreaterThan(0);
});
