import { afterEach, beforeEach, expect, test } from 'vitest';
import { balanceOf } from '../../src/money/billing/wallet/balance.ts';
import { credits } from '../../src/money/billing/ledger/credits.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, hang } from '../fakes/fake-provider.ts';
import { type ConfigChange, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { type HeldClock, heldClock } from '../clocks/held-clock.ts';
import { dropDatabase, newDatabase } from '../stores/stores.ts';

/** Two gateways that share the last money of one account. */
let database: string;
let store: Store;
let one: TestGateway;
let clock: HeldClock;
let other: TestGateway;
let accountId: string;
beforeEach(async () => {
  database = await newDatabase();
  const shared = { database, secret: 's'.repeat(32) };
  let upstreams: unknown;
  clock = heldClock();
  const change: ConfigChange = (base) => ({ ...base, ...shared, upstreams: (upstreams = base['upstreams']) });
  one = await startTestGateway(change, { clock });
  // Both gateways write their configuration to the same store, so both use the provider of the first.
  other = await startTestGateway((base) => ({ ...base, ...shared, upstreams }));
  store = await openStore({ database });
  const query = store.db.selectFrom('accounts').select('id').where('name', '=', 'tester');
  accountId = (await query.executeTakeFirstOrThrow()).id;
});
afterEach(async () => {
  await one.stop();
  await other.stop();
  await store.close();
  await dropDatabase(database);
});

const asking = ({ port, key }: TestGateway, maxTokens: number) => chat({ port, key, body: { max_tokens: maxTokens } });

/** Sets the balance of the account. */
async function leave(amount: bigint): Promise<void> {
  const { granted } = await balanceOf(store, accountId);
  const order = { accountId, amount: amount - granted, reference: `leave ${amount}`, by: 'op', reason: 'test' };
  await credits(store, systemClock).adjust(order);
}

test('requests above the balance are rejected after few lease recalls, and an affordable one is served meanwhile', async () => {
  // An output token costs 2000, so 4000 tokens use most of the balance.
  await leave(10_000_000n);
  one.provider.respond('other', hang(), answer('hello'));
  const elsewhere = asking(other, 4000);
  await one.provider.call('other').received;
  // Held until all of them wait: no timeout for returned leases passes, so none is rejected yet.
  clock.hold();
  const poor = Array.from({ length: 15 }, () => asking(one, 4000));
  await expect.poll(() => one.gateway.alive().requests, { message: 'requests that cannot be paid' }).toBe(poor.length);
  expect(await asking(one, 1).over).toMatchObject({ status: 200, isDone: true });
  expect(one.gateway.alive().requests).toBe(poor.length);
  clock.release();
  for (const each of poor) {
    expect(await each.over).toMatchObject({ status: 402, error: { code: 'insufficient_balance' } });
  }
  const recalls = await store.db.selectFrom('changes').select('id').where('topic', '=', 'lease').execute();
  expect(recalls.length).toBeLessThan(8);
  // Both gateways have rejected a request, but only one event is written.
  expect(await asking(other, 4000).over).toMatchObject({ status: 402 });
  const usedUp = store.db.selectFrom('events').select('account_id').where('kind', '=', 'balance.used_up');
  await expect
    .poll(() => usedUp.execute(), { message: 'events for the used-up balance' })
    .toEqual([{ account_id: accountId }]);
  elsewhere.leave();
  await elsewhere.over;
  for (const { gateway } of [one, other]) await expectAtRest(gateway);
});
