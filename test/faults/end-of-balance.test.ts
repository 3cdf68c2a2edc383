import { afterEach, beforeEach, expect, test } from 'vitest';
import { balanceOf } from '../../src/billing/balance.ts';
import { credits } from '../../src/billing/credits.ts';
import { systemClock } from '../../src/core/clock.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, hang } from '../fake-provider.ts';
import { type ConfigChange, startTestGateway, type TestGateway } from '../gateway.ts';
import { type HeldClock, heldClock } from '../held-clock.ts';
import { dropDatabase, newDatabase } from '../stores.ts';

/** Two gateways that share an account's last money. */
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
  // What a file says is in the store for both: they have one provider.
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

/** Leaves the account with this much. */
async function leave(amount: bigint): Promise<void> {
  const { granted } = await balanceOf(store, accountId);
  const order = { accountId, amount: amount - granted, reference: `leave ${amount}`, by: 'op', reason: 'test' };
  await credits(store, systemClock).adjust(order);
}

test('many that cannot be paid are refused after one recall, and one that can be is served meanwhile', async () => {
  // A token of output costs 2000; so many of them nearly use it up.
  await leave(10_000_000n);
  one.provider.respond('other', hang(), answer('hello'));
  const elsewhere = asking(other, 4000);
  await one.provider.call('other').received;
  // Until all of them wait no time passes in which the others could give money back, so none is refused yet.
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
  // Both gateways have refused somebody, and one of them tells it.
  expect(await asking(other, 4000).over).toMatchObject({ status: 402 });
  const usedUp = store.db.selectFrom('notices').select('account_id').where('kind', '=', 'balance.used_up');
  await expect.poll(() => usedUp.execute(), { message: 'notices of it' }).toEqual([{ account_id: accountId }]);
  elsewhere.leave();
  await elsewhere.over;
  for (const { gateway } of [one, other]) await expectAtRest(gateway);
});
