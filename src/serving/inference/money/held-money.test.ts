import { expect, test } from 'vitest';
import type { Hold, HoldName } from '../../../money/billing/wallet/hold.ts';
import type { Caller, KeyHolder } from '../../../core/caller.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { holdMoney } from './held-money.ts';

test('after an outage, the spend cap of a key comes from the store, not from the cache', async () => {
  const key = (cap: bigint): KeyHolder => ({
    keyId: 'key',
    keyName: 'key',
    accountId: 'acc',
    accountName: 'acc',
    packageName: 'standard',
    models: undefined,
    limits: [{ scope: 'key', subjectId: 'key', amount: cap }],
  });
  const calls: HoldName[] = [];
  const wallet = {
    hold: (name: HoldName) => {
      calls.push(name);
      return {} as Hold;
    },
  };
  const queueLimit = { enter: () => undefined, leave: () => {} } as never;
  const payer = {
    id: 'r',
    caller: { key: key(100n), site: 'main' } as Caller,
    signal: new AbortController().signal,
    end: () => {},
    confirm: () => Promise.resolve(key(7n)),
  };
  const model = { price: { version: 'v' } } as Model;
  const confirmed = (found: KeyHolder) => void calls.push({ limits: found.limits } as HoldName);
  await holdMoney({ wallet, router: { queueLimit } }, payer, {
    model,
    amount: 1n,
    bytes: 0,
    deadlineMs: 1000,
    confirmed,
  });
  // The model is checked against the same key, before any money is held.
  expect(calls).toMatchObject([{ limits: [{ amount: 7n }] }, { requestId: 'r', limits: [{ amount: 7n }] }]);
});
