import { afterEach, expect, test } from 'vitest';
import { jainIndex } from '../../src/routing/jain-index.ts';
import { eventually } from '../eventually.ts';
import { type TcpProxy, tcpProxy } from '../services/tcp-proxy.ts';
import { newDatabase } from '../stores.ts';
import { type ClusterStage, setUpCluster } from './stage.ts';

const limit = 12;
let stage: ClusterStage | undefined;
let proxy: TcpProxy | undefined;
afterEach(async () => {
  await stage?.tearDown();
  await proxy?.close();
  stage = undefined;
  proxy = undefined;
});

test('accounts on three gateways share one provider by weight, however they are spread, within its limit', async () => {
  const accounts = { everywhere: 1, first: 1, last: 2 };
  stage = await setUpCluster({ database: await newDatabase(), gateways: 3, limit, serviceMs: 250, accounts });
  const { gateways, provider } = stage;
  for (const gateway of gateways) stage.load('everywhere', gateway, 10);
  stage.load('first', gateways[0]!, 15);
  stage.load('last', gateways[1]!, 6);
  stage.load('last', gateways[2]!, 18);
  await servedMore(250);
  const before = new Map(provider.served);
  await servedMore(350);
  const shares = Object.entries(accounts).map(
    ([name, weight]) => ((provider.served.get(name) ?? 0) - (before.get(name) ?? 0)) / weight,
  );
  expect(jainIndex(shares)).toBeGreaterThan(0.93);
  expect(provider.most).toBeLessThanOrEqual(limit);
  expect(stage.failures).toEqual([]);
});

test('a gateway that is killed, one that stands still and one without its database never make it more than the limit', async () => {
  const database = await newDatabase();
  proxy = await tcpProxy(Number(new URL(database).port));
  const throughProxy = database.replace(/:\d+\//, `:${proxy.port}/`);
  stage = await setUpCluster({ database, gateways: 2, limit, serviceMs: 100, accounts: { busy: 1, other: 1 } });
  const [doomed, halting] = stage.gateways;
  const cutOff = await stage.start(throughProxy);
  const { provider } = stage;
  for (const gateway of stage.gateways) {
    stage.load('busy', gateway, 10);
    stage.load('other', gateway, 4);
  }
  await servedMore(50);

  await doomed!.kill();
  // Its neighbours see that it is gone, and have all there is but the reserve between them.
  await eventually(() => expect(provider.inFlight).toBeGreaterThanOrEqual(limit - 2));

  halting!.signal('SIGSTOP');
  await servedMore(100);
  halting!.signal('SIGCONT');
  await servedMore(100);

  proxy.freeze();
  await eventually(async () => expect(await placesOf(cutOff.port)).toContain('cannot be shared'));
  await servedMore(100);
  proxy.thaw();
  await eventually(async () => expect(await placesOf(cutOff.port)).toBe('ok'));
  await servedMore(100);
  expect(provider.most).toBeLessThanOrEqual(limit);
});

async function servedMore(count: number): Promise<void> {
  const total = (): number => [...stage!.provider.served.values()].reduce((one, other) => one + other, 0);
  const wanted = total() + count;
  await eventually(() => expect(total()).toBeGreaterThanOrEqual(wanted));
}

async function placesOf(port: number): Promise<string | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
  const { checks } = (await response.json()) as { checks: Readonly<Record<string, string>> };
  return checks['places'];
}
