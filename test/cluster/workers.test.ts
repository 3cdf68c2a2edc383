import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { eventually } from '../eventually.ts';
import { newDatabase } from '../stores/stores.ts';
import { type ClusterStage, setUpCluster } from './stage.ts';

const limit = 6;
let stage: ClusterStage;
beforeAll(async () => {
  const accounts = { busy: 1, other: 1 };
  stage = await setUpCluster({
    database: await newDatabase(),
    gateways: 1,
    workers: 2,
    limit,
    serviceMs: 300,
    accounts,
  });
});
afterAll(() => stage.tearDown());

test('workers on PostgreSQL whose parent is killed complete their answers next to the new gateway, within the limit', async () => {
  const { provider } = stage;
  const [first] = stage.gateways;
  const load = stage.load('busy', first!, 3 * limit);
  await moreCalls(3 * limit);
  await load.stop();
  const release = provider.hold();
  const orphans = Array.from({ length: limit - 2 }, () => stage.send('other', first!));
  await eventually(() => expect(provider.inFlight).toBe(orphans.length));
  await stage.kill(first!);
  const second = await stage.start();
  const loads = [stage.load('busy', second, 2 * limit), stage.load('other', second, limit)];
  // Next to the held answers, the new gateway gets one slot.
  await moreCalls(1);
  release();
  for (const each of orphans) expect(await each).toMatchObject({ isDone: true });
  // The new gateway gets all slots of the workers, except the reserve.
  await eventually(() => expect(provider.inFlight).toBeGreaterThanOrEqual(limit - 2));
  await moreCalls(3 * limit);
  await Promise.all(loads.map((each) => each.stop()));
  expect(stage.failures).toEqual([]);
  expect(provider.most).toBeLessThanOrEqual(limit);
  await expectSound(stage.store);
});

async function moreCalls(count: number): Promise<void> {
  const wanted = stage.provider.callLog.length + count;
  await eventually(() => expect(stage.provider.callLog.length).toBeGreaterThanOrEqual(wanted));
}
