import { beforeEach, describe, expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../../../test/clocks/manual-clock.ts';
import { forEachStore, testStores } from '../../../test/stores/stores.ts';
import type { Store } from '../../platform/store/store.ts';
import { Membership } from './recovery/membership.ts';
import { DeadLetterCheckpoints } from './recovery/dead-letter-checkpoints.ts';

let clock: ManualClock;
let store: Store;
let reregistered: string[];
beforeEach(() => {
  clock = manualClock();
  reregistered = [];
});

async function startMember(name: string): Promise<Membership> {
  const refused = new DeadLetterCheckpoints({ store, clock, onError: (error) => expect.unreachable(String(error)) });
  let names = 0;
  const newId = (): string => `${name} ${(names += 1)}`;
  const membership = new Membership({
    store,
    clock,
    newId,
    running: () => [],
    refused,
    onNewId: () => reregistered.push(name),
  });
  await membership.start();
  return membership;
}

/** Runs the periodic heartbeat and reaper of each process once. */
async function runOnce(...memberships: readonly Membership[]): Promise<void> {
  for (const membership of memberships) await membership.sendHeartbeat();
  for (const membership of memberships) await membership.reapPeers();
}

const processes = async () => {
  const rows = await store.db.selectFrom('processes').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
};

describe('when the clock is set forward', () => {
  /** Only the clock of the embedded store can be set. */
  const { open } = testStores('sqlite');
  /** How far the machine's wall clock is ahead. */
  let aheadMs: number;
  beforeEach(async () => {
    aheadMs = 0;
    store = await open({ now: () => clock.now() + aheadMs });
  });

  test('a process whose heartbeat is due is not reaped', async () => {
    const [one, other] = [await startMember('one'), await startMember('other')];
    await runOnce(one, other);
    clock.advance(3000);
    aheadMs = 3_600_000;
    await runOnce(one);
    await runOnce(other);
    expect([reregistered, await processes()]).toEqual([[], ['one 1', 'other 1']]);
  });

  test('a process without further heartbeats is reaped', async () => {
    const [one] = [await startMember('one'), await startMember('other')];
    await runOnce(one);
    clock.advance(3000);
    aheadMs = 3_600_000;
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await runOnce(one);
      clock.advance(5000);
    }
    expect([reregistered, await processes()]).toEqual([[], ['one 1']]);
  });
});

forEachStore(({ engine, open }) => {
  beforeEach(async () => {
    store = await open();
  });

  /** The store was unreachable for all processes, so all have expired. */
  const expireAll = () => store.db.updateTable('processes').set({ heartbeat_at: 1 }).execute();

  test('a process that stops when the store is back does not reap peers that were silent as long', async () => {
    const [one, other] = [await startMember('one'), await startMember('other')];
    clock.advance(60_000);
    await expireAll();
    await one.stop();
    await runOnce(other);
    expect([reregistered, await processes()]).toEqual([[], ['other 1']]);
  });

  test('a process that stops normally reaps expired peers', async () => {
    const [one] = [await startMember('one'), await startMember('other')];
    for (let rounds = 0; rounds < 2; rounds += 1) {
      clock.advance(5000);
      await one.sendHeartbeat();
    }
    await store.db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', '=', 'other 1').execute();
    await one.stop();
    expect(await processes()).toEqual([]);
  });

  // The embedded store is never reachable for some processes only.
  test.runIf(engine === 'postgres')(
    'a process that starts when the store is back does not reap peers at once',
    async () => {
      const other = await startMember('other');
      clock.advance(60_000);
      await expireAll();
      const one = await startMember('one');
      await runOnce(one);
      await runOnce(other);
      expect([reregistered, await processes()]).toEqual([[], ['one 1', 'other 1']]);
      await expireAll();
      for (let rounds = 0; rounds < 3; rounds += 1) {
        clock.advance(5000);
        await runOnce(one);
      }
      expect(await processes()).toEqual(['one 1']);
    },
  );
});
