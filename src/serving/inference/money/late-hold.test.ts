import { expect, test, vi } from 'vitest';
import type { Hold } from '../../../money/billing/wallet/hold.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { LateHold } from './late-hold.ts';

const realHold = () => {
  const hold = {
    amount: 5n,
    watch: vi.fn<Hold['watch']>(),
    whenLost: vi.fn<Hold['whenLost']>(),
    widen: vi.fn<Hold['widen']>(() => Promise.resolve()),
    reprice: vi.fn<Hold['reprice']>(),
    post: vi.fn<Hold['post']>(() => Promise.resolve()),
    void: vi.fn<Hold['void']>(),
  };
  return hold satisfies Hold;
};

test('a late hold takes its money once, when it is opened, and then does what the hold does', async () => {
  const hold = realHold();
  const take = vi.fn(() => hold);
  const late = new LateHold(take);
  const [costSoFar, onLost] = [() => 3n, () => {}];
  late.watch(costSoFar);
  late.whenLost(onLost);
  late.reprice('v1');
  expect([late.isOpen, late.amount, take.mock.calls.length]).toEqual([false, 0n, 0]);
  await late.open();
  await late.open();
  expect([late.isOpen, late.amount, take.mock.calls.length]).toEqual([true, 5n, 1]);
  expect([hold.watch.mock.lastCall, hold.whenLost.mock.lastCall]).toEqual([[costSoFar], [onLost]]);
  late.reprice('v2');
  await late.widen(9n);
  await late.post(2n, 'request');
  late.void();
  expect(hold.reprice.mock.calls).toEqual([['v2']]);
  expect([hold.widen, hold.post, hold.void].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
});

test('without its money a late hold charges nothing, and after its end it takes none', async () => {
  const short = new LateHold(() => Promise.reject(new GatewayError('insufficient-balance')));
  await expect(short.open()).rejects.toMatchObject({ case: 'insufficient-balance' });
  expect(short.isOpen).toBe(false);
  await expect(short.post(1n)).rejects.toThrow('nothing is charged without a hold');
  await expect(short.widen(1n)).rejects.toThrow('only money that is held is widened');
  const hold = realHold();
  const ended = new LateHold(() => Promise.resolve(hold));
  const opening = ended.open();
  ended.void();
  await expect(opening).rejects.toMatchObject({ case: 'overloaded' });
  expect([hold.void.mock.calls.length, ended.isOpen]).toEqual([1, false]);
});
