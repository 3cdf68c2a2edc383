import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { eventually } from '../eventually.ts';
import type { KeyId } from '../../src/money/accounts/ids.ts';
import { limitKey } from '../../src/money/accounts/key-limits.ts';
import { deleteBodiesOfKey } from '../../src/work/bodies/stored-bodies.ts';
import { jainIndex } from '../../src/serving/routing/queue/jain-index.ts';
import type { GatewayProcess } from '../crash/processes.ts';
import { type Postgres, startPostgres } from '../services/postgres.ts';
import { type TcpProxy, tcpProxy } from '../services/tcp-proxy.ts';
import { type ClusterStage, type Load, setUpCluster } from './stage.ts';

// Three gateways on one PostgreSQL with one provider, for all tests. Each test leaves them idle; only the last kills
// one.
const limit = 12;
/** Accounts that always have waiting requests, with their weights. */
const busyAccounts = { everywhere: 1, first: 1, last: 1, heavy: 3 };
const accounts = { ...busyAccounts, hog: 1, light: 1 };
let postgres: Postgres;
let proxy: TcpProxy;
let stage: ClusterStage;
/** The gateway that reaches the database through the proxy. */
let proxied: GatewayProcess;
beforeAll(async () => {
  postgres = await startPostgres();
  const database = await postgres.createDatabase();
  proxy = await tcpProxy(postgres.port);
  const file = { stored_bodies: {} };
  stage = await setUpCluster({ database, gateways: 2, limit, serviceMs: 600, accounts, file });
  proxied = await stage.start({ database: database.replace(/:\d+\//, `:${proxy.port}/`) });
  // From here on the gateways have measured the typical length of answers. Shares based on a guess would not be fair.
  await Promise.all(
    stage.gateways.flatMap((gateway) => Object.keys(accounts).map((name) => stage.send(name, gateway))),
  );
});
afterEach(async () => {
  stage.provider.pace = undefined;
  await stage.stopLoads();
});
afterAll(async () => {
  proxy.thaw();
  await postgres.signal('SIGCONT');
  await stage.tearDown();
  await proxy.close();
  await postgres.stop();
});

test('each account gets its share, on any number of gateways, and the limit of the provider is never exceeded', async () => {
  stage.provider.pace = stage.awake;
  const [one, two, three] = stage.gateways as [GatewayProcess, GatewayProcess, GatewayProcess];
  const loads = [
    ...stage.gateways.map((gateway) => stage.load('everywhere', gateway, 8)),
    stage.load('first', one, 12),
    stage.load('last', two, 3),
    stage.load('last', three, 9),
    stage.load('heavy', two, 12),
    stage.load('heavy', three, 8),
  ];
  await moreCalls(2 * limit);
  let shares = await sharesOver(650);
  // If a gateway gets no CPU time, its requests lose slots. So measure again: real unfairness would persist.
  for (let window = 1; window < windowsMax && shares.some(isUnfair); window += 1) shares = await sharesOver(650);
  expect(jainIndex(shares.map(([, share]) => share))).toBeGreaterThan(0.97);
  expect(shares.filter(isUnfair)).toEqual([]);
  await stopAll(loads);
});

/** The number of measurements before the shares count as unfair. */
const windowsMax = 4;

/** The part of its share that each account gets, over the next `count` calls. */
async function sharesOver(count: number): Promise<readonly (readonly [name: string, share: number])[]> {
  const before = stage.provider.callLog.length;
  await moreCalls(count);
  const calls = stage.provider.callLog.slice(before);
  const served = (name: string, weight: number): number => calls.filter((call) => call === name).length / weight;
  return Object.entries(busyAccounts).map(
    ([name, weight]) => [name, (served(name, weight) * 6) / calls.length] as const,
  );
}

function isUnfair([, share]: readonly [name: string, share: number]): boolean {
  return Math.abs(share - 1) > 0.05;
}

test('a light account waits for about one answer at each gateway, next to an account that fills all of them', async () => {
  stage.provider.serviceMs = 200;
  stage.provider.pace = stage.awake;
  const hogs = stage.gateways.map((gateway) => stage.load('hog', gateway, 20));
  await moreCalls(100);
  // One answer time is as many calls as there are slots. The second one is for the lease to follow.
  const most = 2 * limit;
  let passed = await mostCallsDuringWait('light');
  // As above: a gateway without CPU time misses slots that were free for it.
  for (let window = 1; window < windowsMax && passed > most; window += 1) passed = await mostCallsDuringWait('light');
  expect(passed).toBeLessThanOrEqual(most);
  await stopAll(hogs);
});

/** The maximum of other calls during a wait of the account, over ten requests to each gateway. */
async function mostCallsDuringWait(account: string): Promise<number> {
  const passed: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    for (const gateway of stage.gateways) {
      const sentAt = stage.provider.callLog.length;
      expect(await stage.send(account, gateway)).toMatchObject({ isDone: true });
      passed.push(stage.provider.callLog.indexOf(account, sentAt) - sentAt);
    }
  }
  return Math.max(...passed);
}

test('after failures of the database and a gateway, the limit holds, no request fails or hangs, and the ledger is sound', async () => {
  const [one, two] = stage.gateways as [GatewayProcess, GatewayProcess];
  stage.provider.serviceMs = 800;
  const loads = stage.gateways.flatMap((gateway) => [stage.load('hog', gateway, 8), stage.load('first', gateway, 4)]);
  await moreCalls(limit);

  proxy.freeze();
  // Longer than its slot lease, and longer than it may use its leased money.
  await eventually(async () =>
    expect(await checksOf(proxied)).toMatchObject({
      ledger: expect.stringContaining('wait'),
      slots: expect.stringContaining('cannot be shared'),
    }),
  );
  // On a busy machine its own report may be late, independent of the fault of the other gateway.
  await eventually(async () => expect(await checksOf(one)).toMatchObject({ ledger: 'ok', slots: 'ok' }));
  proxy.thaw();
  await expectHealthy();

  await postgres.signal('SIGSTOP');
  for (const gateway of stage.gateways) {
    await eventually(async () =>
      expect(await checksOf(gateway)).toMatchObject({ ledger: expect.stringContaining('wait') }),
    );
  }
  await postgres.signal('SIGCONT');
  await expectHealthy();

  await postgres.restart();
  await expectHealthy();

  two.signal('SIGSTOP');
  await moreCalls(3 * limit);
  two.signal('SIGCONT');
  await expectHealthy();

  await stopAll(loads);
  await expectSound(stage.store);
});

test('after a gateway is killed, its slots, key slots and spend-cap reservations return, limits hold, and no unwanted body is stored', async () => {
  const [one] = stage.gateways as [GatewayProcess];
  stage.provider.serviceMs = 200;
  const loads = stage.gateways.flatMap((gateway) => [stage.load('hog', gateway, 8), stage.load('first', gateway, 4)]);
  const keySlots = 3;
  await stage.addKey('light', { name: 'limited', maxConcurrency: keySlots });
  loads.push(...stage.gateways.map((gateway) => stage.load('limited', gateway, 4)));
  const cap = 80n * answerCost;
  const capped = await stage.addKey('last', { name: 'capped', spendCap: cap, capPeriod: 'month' });
  const storing = await stage.addKey('light', { name: 'storing', storeBodies: true });
  loads.push(...stage.gateways.map((gateway) => stage.load('storing', gateway, 2)));
  const isSpent = new AbortController();
  const spending = stage.gateways.map((gateway) => spendAll('capped', gateway, isSpent.signal));
  await eventually(() => {
    const served = stage.provider.callLog.filter((name) => name === 'capped' || name === 'limited');
    expect(served.length).toBeGreaterThan(20);
  });

  await eventually(async () => expect((await bodiesOf(storing)).length).toBeGreaterThan(3));
  const deletedAt = Date.now();
  await deleteBodiesOfKey(stage.store, { keyId: storing, at: deletedAt });

  await stage.kill(one);
  // Its peers detect that it is gone, and share all slots but the reserve.
  await eventually(() => expect(stage.provider.inFlight).toBeGreaterThanOrEqual(limit - 2));
  // By then, its own answers are over at the provider.
  await moreCalls(2 * limit);
  const callsBefore = stage.provider.callLog.length;
  await eventually(() => expect(stage.provider.mostOf('limited', callsBefore)).toBe(keySlots));
  // Once the killed gateway has expired, its reservation is released, and the whole cap can be spent.
  await eventually(async () => expect(await spentBy(capped)).toBeGreaterThan(cap - holdMax));
  isSpent.abort();
  await Promise.all(spending);
  await eventually(async () => expect(await bodiesOf(storing)).not.toEqual([]));
  await limitKey(stage.store, storing as KeyId, { storeBodies: false });
  const stored = await bodiesOf(storing);
  await moreCalls(2 * limit);
  await stopAll(loads);
  expect(await spentBy(capped)).toBeLessThanOrEqual(cap);
  expect(stage.provider.mostOf('limited')).toBe(keySlots);
  // No deleted body came back, and no gateway stored a body after the key stopped storing.
  expect(stored.map(({ created_at: at }) => at).filter((at) => at <= deletedAt)).toEqual([]);
  expect(await bodiesOf(storing)).toEqual(stored);
  expect(stored.length).toBeGreaterThan(0);
  await expectSound(stage.store);
});

/** Twenty tokens at one millionth each, in nano-units. */
const answerCost = 20_000n;
/** More than the hold of one request: 100 output tokens, and the upper bound of its prompt. */
const holdMax = 700_000n;

/** Sends requests of a key in a loop. They may only fail because of its cap, or because the gateway was killed. */
async function spendAll(key: string, gateway: GatewayProcess, isSpent: AbortSignal): Promise<void> {
  while (!isSpent.aborted) {
    const { isDone, isComplete, text } = await stage.send(key, gateway);
    if (isDone) continue;
    if (!isComplete && gateway === stage.gateways[0]) return;
    expect(text).toContain('This key has a spend cap of');
  }
}

function bodiesOf(keyId: string) {
  const bodies = stage.store.db.selectFrom('sealed_blobs').select(['id', 'created_at']);
  return bodies.where('key_id', '=', keyId).orderBy('id').execute();
}

async function spentBy(keyId: string): Promise<bigint> {
  const charges = stage.store.db.selectFrom('transfers').select('amount').where('key_id', '=', keyId);
  return (await charges.execute()).reduce((sum, { amount }) => sum - BigInt(amount), 0n);
}

/** All gateways are healthy again, and calls continue. */
async function expectHealthy(): Promise<void> {
  for (const gateway of stage.gateways) {
    await eventually(async () =>
      expect(await checksOf(gateway)).toMatchObject({ store: 'ok', ledger: 'ok', slots: 'ok' }),
    );
  }
  await moreCalls(2 * limit);
  expect(stage.failures).toEqual([]);
  expect(stage.provider.most).toBeLessThanOrEqual(limit);
}

async function checksOf({ port }: GatewayProcess): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
  return ((await response.json()) as { checks: Readonly<Record<string, string>> }).checks;
}

async function moreCalls(count: number): Promise<void> {
  const wanted = stage.provider.callLog.length + count;
  await eventually(() => expect(stage.provider.callLog.length).toBeGreaterThanOrEqual(wanted));
}

/** Stops the loads. No request failed, and none hangs: each client gets its last answer. */
async function stopAll(loads: readonly Load[]): Promise<void> {
  await Promise.all(loads.map((load) => load.stop()));
  expect(stage.failures).toEqual([]);
  await eventually(() => expect(stage.provider.inFlight).toBe(0));
  expect(stage.provider.most).toBeLessThanOrEqual(limit);
}
