import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { eventually } from '../eventually.ts';
import type { KeyId } from '../../src/accounts/ids.ts';
import { limitKey } from '../../src/accounts/key-limits.ts';
import { deleteBodiesOfKey } from '../../src/bodies/stored-bodies.ts';
import { jainIndex } from '../../src/routing/jain-index.ts';
import type { GatewayProcess } from '../crash/processes.ts';
import { type Postgres, startPostgres } from '../services/postgres.ts';
import { type TcpProxy, tcpProxy } from '../services/tcp-proxy.ts';
import { type ClusterStage, type Load, setUpCluster } from './stage.ts';

// Three gateways on one PostgreSQL before one provider, for all tests: each leaves them idle, and only the last one harms them.
const limit = 12;
/** Accounts that always have more to ask for than they get, with their weights. */
const sharers = { everywhere: 1, first: 1, last: 1, heavy: 3 };
const accounts = { ...sharers, hog: 1, light: 1 };
let postgres: Postgres;
let proxy: TcpProxy;
let stage: ClusterStage;
/** Reaches the database through the proxy. */
let cutOff: GatewayProcess;
beforeAll(async () => {
  postgres = await startPostgres();
  const database = await postgres.createDatabase();
  proxy = await tcpProxy(postgres.port);
  const file = { stored_bodies: {} };
  stage = await setUpCluster({ database, gateways: 2, limit, serviceMs: 600, accounts, file });
  cutOff = await stage.start({ database: database.replace(/:\d+\//, `:${proxy.port}/`) });
  // How long answers are is known from here on: what is shared by a guess is not shared fairly.
  await Promise.all(stage.gateways.flatMap((gateway) => Object.keys(accounts).map((name) => stage.ask(name, gateway))));
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

test('accounts have their shares, however they are spread, and the provider never more than its limit', async () => {
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
  await moreTurns(2 * limit);
  let parts = await partsOf(650);
  // A machine that has no time for a gateway takes turns from whoever waits there: what is unfair stays so.
  for (let window = 1; window < windowsMax && parts.some(isOff); window += 1) parts = await partsOf(650);
  expect(jainIndex(parts.map(([, part]) => part))).toBeGreaterThan(0.97);
  expect(parts.filter(isOff)).toEqual([]);
  await stopAll(loads);
});

/** How often the shares are looked at before they count as unfair. */
const windowsMax = 4;

/** What each account has of its share, over so many turns from now. */
async function partsOf(count: number): Promise<readonly (readonly [name: string, part: number])[]> {
  const before = stage.provider.turns.length;
  await moreTurns(count);
  const turns = stage.provider.turns.slice(before);
  const served = (name: string, weight: number): number => turns.filter((turn) => turn === name).length / weight;
  return Object.entries(sharers).map(([name, weight]) => [name, (served(name, weight) * 6) / turns.length] as const);
}

function isOff([, part]: readonly [name: string, part: number]): boolean {
  return Math.abs(part - 1) > 0.05;
}

test('a light account waits for about one answer, whichever gateway it asks, beside a hog that uses all of them', async () => {
  stage.provider.serviceMs = 200;
  stage.provider.pace = stage.awake;
  const hogs = stage.gateways.map((gateway) => stage.load('hog', gateway, 20));
  await moreTurns(100);
  // One service time is as many turns as there are places. The other is for a lease to follow.
  const most = 2 * limit;
  let passed = await mostTurnsPassed('light');
  // As above: a gateway that has no time to ask lets turns pass that nobody kept from it.
  for (let window = 1; window < windowsMax && passed > most; window += 1) passed = await mostTurnsPassed('light');
  expect(passed).toBeLessThanOrEqual(most);
  await stopAll(hogs);
});

/** How many turns of others pass at most while an account waits, asking every gateway ten times. */
async function mostTurnsPassed(account: string): Promise<number> {
  const passed: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    for (const gateway of stage.gateways) {
      const sentAt = stage.provider.turns.length;
      expect(await stage.ask(account, gateway)).toMatchObject({ isDone: true });
      passed.push(stage.provider.turns.indexOf(account, sentAt) - sentAt);
    }
  }
  return Math.max(...passed);
}

test('whatever fails, the provider has no more than its limit, nobody is refused, nothing hangs, and the ledger is sound', async () => {
  const [one, two] = stage.gateways as [GatewayProcess, GatewayProcess];
  stage.provider.serviceMs = 800;
  const loads = stage.gateways.flatMap((gateway) => [stage.load('hog', gateway, 8), stage.load('first', gateway, 4)]);
  await moreTurns(limit);

  proxy.freeze();
  // Longer than its lease of places, and than what it has set aside may be used.
  await eventually(async () =>
    expect(await checksOf(cutOff)).toMatchObject({
      ledger: expect.stringContaining('wait'),
      places: expect.stringContaining('cannot be shared'),
    }),
  );
  // On a busy machine its own report may be late for a moment, which has nothing to do with the other's trouble.
  await eventually(async () => expect(await checksOf(one)).toMatchObject({ ledger: 'ok', slots: 'ok' }));
  proxy.thaw();
  await allWell();

  await postgres.signal('SIGSTOP');
  for (const gateway of stage.gateways) {
    await eventually(async () =>
      expect(await checksOf(gateway)).toMatchObject({ ledger: expect.stringContaining('wait') }),
    );
  }
  await postgres.signal('SIGCONT');
  await allWell();

  await postgres.restart();
  await allWell();

  two.signal('SIGSTOP');
  await moreTurns(3 * limit);
  two.signal('SIGCONT');
  await allWell();

  await stopAll(loads);
  await expectSound(stage.store);
});

test('a gateway that is killed takes nothing with it: places, a key’s turns and what a key may spend come back, no limit is exceeded, and what is not to be stored is not', async () => {
  const [one] = stage.gateways as [GatewayProcess];
  stage.provider.serviceMs = 200;
  const loads = stage.gateways.flatMap((gateway) => [stage.load('hog', gateway, 8), stage.load('first', gateway, 4)]);
  const turns = 3;
  await stage.addKey('light', { name: 'with turns', maxConcurrency: turns });
  loads.push(...stage.gateways.map((gateway) => stage.load('with turns', gateway, 4)));
  const cap = 80n * answerCost;
  const capped = await stage.addKey('last', { name: 'capped', spendCap: cap, capPeriod: 'month' });
  const storing = await stage.addKey('light', { name: 'storing', storeBodies: true });
  loads.push(...stage.gateways.map((gateway) => stage.load('storing', gateway, 2)));
  const isSpent = new AbortController();
  const spending = stage.gateways.map((gateway) => spendAll('capped', gateway, isSpent.signal));
  await eventually(() => {
    const served = stage.provider.turns.filter((turn) => turn === 'capped' || turn === 'with turns');
    expect(served.length).toBeGreaterThan(20);
  });

  await eventually(async () => expect((await bodiesOf(storing)).length).toBeGreaterThan(3));
  const deletedAt = Date.now();
  await deleteBodiesOfKey(stage.store, { keyId: storing, at: deletedAt });

  await stage.kill(one);
  // Its neighbours see that it is gone, and have all there is but the reserve between them.
  await eventually(() => expect(stage.provider.inFlight).toBeGreaterThanOrEqual(limit - 2));
  // The answers that it had are over by then.
  await moreTurns(2 * limit);
  const turnsBefore = stage.provider.turns.length;
  await eventually(() => expect(stage.provider.mostOf('with turns', turnsBefore)).toBe(turns));
  // What the dead one had set aside can be spent once it is known to be dead: then all of the cap is.
  await eventually(async () => expect(await spentBy(capped)).toBeGreaterThan(cap - holdMax));
  isSpent.abort();
  await Promise.all(spending);
  await eventually(async () => expect(await bodiesOf(storing)).not.toEqual([]));
  await limitKey(stage.store, storing as KeyId, { storeBodies: false });
  const stored = await bodiesOf(storing);
  await moreTurns(2 * limit);
  await stopAll(loads);
  expect(await spentBy(capped)).toBeLessThanOrEqual(cap);
  expect(stage.provider.mostOf('with turns')).toBe(turns);
  // None of what was deleted came back, and nothing was stored once its key had said no, whoever it had told so.
  expect(stored.map(({ stored_at: at }) => at).filter((at) => at <= deletedAt)).toEqual([]);
  expect(await bodiesOf(storing)).toEqual(stored);
  expect(stored.length).toBeGreaterThan(0);
  await expectSound(stage.store);
});

/** Twenty tokens at one millionth each. */
const answerCost = 20_000n;
/** More than is set aside for a request: a hundred tokens of answer, and as many as its prompt could be at the very most. */
const holdMax = 700_000n;

/** Asks with a key again and again. What is refused is refused for its cap; a gateway that is killed says nothing. */
async function spendAll(key: string, gateway: GatewayProcess, isSpent: AbortSignal): Promise<void> {
  while (!isSpent.aborted) {
    const { isDone, isWhole, text } = await stage.ask(key, gateway);
    if (isDone) continue;
    if (!isWhole && gateway === stage.gateways[0]) return;
    expect(text).toContain('This key may spend');
  }
}

function bodiesOf(keyId: string) {
  const bodies = stage.store.db.selectFrom('stored_bodies').select(['request_id', 'stored_at']);
  return bodies.where('key_id', '=', keyId).orderBy('request_id').execute();
}

async function spentBy(keyId: string): Promise<bigint> {
  const charges = stage.store.db.selectFrom('transfers').select('amount').where('key_id', '=', keyId);
  return (await charges.execute()).reduce((sum, { amount }) => sum - BigInt(amount), 0n);
}

/** Everybody is served again: nothing of what went wrong is left, and turns go on. */
async function allWell(): Promise<void> {
  for (const gateway of stage.gateways) {
    await eventually(async () =>
      expect(await checksOf(gateway)).toMatchObject({ store: 'ok', ledger: 'ok', slots: 'ok' }),
    );
  }
  await moreTurns(2 * limit);
  expect(stage.failures).toEqual([]);
  expect(stage.provider.most).toBeLessThanOrEqual(limit);
}

async function checksOf({ port }: GatewayProcess): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
  return ((await response.json()) as { checks: Readonly<Record<string, string>> }).checks;
}

async function moreTurns(count: number): Promise<void> {
  const wanted = stage.provider.turns.length + count;
  await eventually(() => expect(stage.provider.turns.length).toBeGreaterThanOrEqual(wanted));
}

/** Nobody was refused, and nothing hangs: who stops has its last answer. */
async function stopAll(loads: readonly Load[]): Promise<void> {
  await Promise.all(loads.map((load) => load.stop()));
  expect(stage.failures).toEqual([]);
  await eventually(() => expect(stage.provider.inFlight).toBe(0));
  expect(stage.provider.most).toBeLessThanOrEqual(limit);
}
