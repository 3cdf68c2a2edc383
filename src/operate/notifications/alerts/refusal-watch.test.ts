import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { testStores } from '../../../../test/stores/stores.ts';
import { accounts } from '../../../money/accounts/accounts.ts';
import { createKey } from '../../../money/accounts/keys.ts';
import { AlertStateWriter } from './alert-state-writer.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import { refusalWatch } from './refusal-watch.ts';

// Both store engines get the same statements; a fault test covers the race between gateways.
const { open } = testStores('sqlite');

test('a reached cap causes one event, and another after the cap changes or renews', async () => {
  const [store, clock] = [await open(), manualClock(Date.UTC(2026, 2, 1, 12))];
  const { id } = await accounts(store, clock).create({ name: 'ann', packageName: 'standard' });
  const pepper = createSecretKey(Buffer.alloc(32, 3));
  const { key } = await createKey({ store, clock, pepper }, { accountId: id, name: 'k', spendCap: 5n });
  const alertStates = new AlertStateWriter({ store, clock, onError: (error) => expect(error).toBeUndefined() });
  const watch = refusalWatch({ store, clock, alertStates });
  const eventCount = async (passes = 60_000): Promise<number> => {
    clock.advance(passes);
    watch.served(recordWith({ id: 'r', accountId: id, keyId: key.id, errorCase: 'key-cap-reached' }));
    await alertStates.flush();
    const rows = store.db.selectFrom('events').select('id').where('kind', '=', 'key.cap_reached');
    return (await rows.execute()).length;
  };
  const updateKey = (change: object) => store.db.updateTable('api_keys').set(change).where('id', '=', key.id).execute();
  expect([await eventCount(), await eventCount()]).toEqual([1, 1]);
  await updateKey({ spend_cap: '9' });
  expect([await eventCount(), await eventCount()]).toEqual([2, 2]);
  await updateKey({ cap_period: 'day' });
  expect([await eventCount(), await eventCount()]).toEqual([3, 3]);
  expect(await eventCount(86_400_000)).toBe(4);
  await alertStates.stop();
});

test('two gateways record a reached limit once per period, also if a request of the previous period is refused last', async () => {
  const [store, clock] = [await open(), manualClock(Date.UTC(2026, 2, 1, 23, 59))];
  const { id } = await accounts(store, clock).create({ name: 'ann', packageName: 'standard' });
  const gateways = [store, await open()].map((each) => {
    const alertStates = new AlertStateWriter({ store: each, clock, onError: (error) => expect(error).toBeUndefined() });
    return { alertStates, watch: refusalWatch({ store: each, clock, alertStates }) };
  });
  const midnight = Date.UTC(2026, 2, 2);
  const refuse = async (gateway: (typeof gateways)[number] | undefined, since: number): Promise<void> => {
    const span = { since, until: since + 86_400_000 };
    const reachedLimit = { scope: 'account', subjectId: id, amount: 5n, period: 'day', ...span } as const;
    gateway?.watch.served(recordWith({ id: 'r', accountId: id, errorCase: 'limit-reached', reachedLimit }));
    await gateway?.alertStates.flush();
  };
  const resets = async () => {
    const rows = store.db.selectFrom('events').select('data').where('kind', '=', 'limit.reached');
    return (await rows.execute()).map(({ data }) => (JSON.parse(data) as { resets_at: string }).resets_at.slice(0, 10));
  };
  const [one, other] = gateways;
  await Promise.all(gateways.map((gateway) => refuse(gateway, midnight - 86_400_000)));
  expect(await resets()).toEqual(['2026-03-02']);
  clock.advance(60_000);
  await refuse(one, midnight);
  // It began before midnight, and waited for the leases of other processes.
  await refuse(other, midnight - 86_400_000);
  clock.advance(60_000);
  await Promise.all(gateways.map((gateway) => refuse(gateway, midnight)));
  expect(await resets()).toEqual(['2026-03-02', '2026-03-03']);
  for (const { alertStates } of gateways) await alertStates.stop();
});
