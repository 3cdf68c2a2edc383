import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { openPepper } from '../../src/platform/secrets/pepper.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { makeKey } from '../keys.ts';
import { launcher } from '../gateways/launcher.ts';
import { processEnvironment } from '../gateways/process-environment.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';
import { workersOf } from '../gateways/worker-processes.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

const execute = promisify(execFile);

/** Runs a CLI command in its own process, on the store of the running gateway. */
async function command(...words: readonly string[]): Promise<unknown> {
  const options = ['--data', join(gateway.directory, 'data'), '--json'];
  const env = processEnvironment;
  const { stdout } = await execute(process.execPath, [launcher, ...words, ...options], { cwd: gateway.directory, env });
  return JSON.parse(stdout);
}

test('a waiting request obeys the changes that another process makes to its key', async () => {
  gateway = await startServedGateway({ upstream: { max_concurrency: 1 } });
  const store = await gateway.openStore();
  const pepper = await openPepper(store, { data: join(gateway.directory, 'data'), secret: undefined });
  const key = (name: string) => makeKey({ store, pepper }, { account: 'tester', name });
  const [revoked, narrowed, renamed] = [await key('revoked'), await key('narrowed'), await key('renamed')];
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([chunk({ content: 'one' }), opened, finish('stop'), usage(1, 1), '[DONE]']));
  const { port } = gateway;
  const first = chat({ port, key: gateway.key });
  await first.waitForText('one');
  gateway.provider.respond('other', answer('hello'));
  const waiting = [revoked, narrowed, renamed].map(({ secret }) => chat({ port, key: secret }));
  const [, token = ''] = await gateway.waitForOutput(/Your admin token, shown only once: (\S+)/);
  await eventually(async () => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const live = await fetch(`http://127.0.0.1:${port}/admin/v1/live`, { headers });
    expect(await live.json()).toMatchObject({ totals: { waiting: 3 } });
  });
  await command('keys', 'revoke', revoked.id);
  await command('keys', 'change', narrowed.id, '--models', 'nothing-*');
  await command('keys', 'change', renamed.id, '--name', 'another name');
  // Once new requests with these keys are rejected, the gateway has read the changes.
  const shortTimeout = { 'x-stainless-timeout': '0.01' };
  const statusFor = async ({ secret }: { secret: string }) =>
    (await chat({ port, key: secret, headers: shortTimeout }).over).status;
  await expect.poll(() => statusFor(revoked), { message: 'the status for the revoked key' }).toBe(401);
  await expect.poll(() => statusFor(narrowed), { message: 'the status for the narrowed key' }).toBe(403);
  open();
  const [one, two, three] = await Promise.all(waiting.map(({ over }) => over));
  expect([one?.error?.code, two?.error?.code]).toEqual(['invalid_api_key', 'access_denied']);
  expect(three).toMatchObject({ status: 200, isDone: true });
  expect(await first.over).toMatchObject({ isDone: true });
  expect(gateway.provider.calls).toHaveLength(2);
  await expectSound(store);
});

const clients = 24;

test('a charge that the journal acknowledged is booked once although the workers are killed, while other processes read', async () => {
  gateway = await startServedGateway({ config: { workers: 2 } });
  const { port, key } = gateway;
  const { opened, open } = gate();
  const held = sse([chunk({ content: 'one' }), opened, finish('stop'), usage(7, 1), '[DONE]']);
  gateway.provider.respond('other', held, answer('hello'));
  const store = await gateway.openStore();
  const finished: string[] = [];
  const over = new AbortController();
  const sendUntilAborted = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { id, isDone } = await chat({ port, key }).over;
      if (isDone) finished.push(id);
    }
  };
  const running = chat({ port, key });
  await running.waitForText('one');
  const balances: number[] = [];
  const read = async (): Promise<void> => {
    balances.push(Number(((await command('accounts', 'show', 'tester')) as AccountDocument).balance.granted));
  };
  const load = Array.from({ length: clients }, sendUntilAborted);
  await read();
  await whileLocked(async () => {
    open();
    const { id, isDone } = await running.over;
    expect([isDone, (await charges(store)).has(id)]).toEqual([true, false]);
    finished.push(id);
    const workers = await workersOf(gateway);
    expect(workers).toHaveLength(2);
    for (const pid of workers) process.kill(pid, 'SIGKILL');
  });
  const before = finished.length;
  await read();
  await expect
    .poll(() => finished.length, { message: 'answers of the next workers' })
    .toBeGreaterThan(before + clients);
  await read();
  over.abort();
  await Promise.all(load);
  const charged = await eventually(async () => {
    const rows = await charges(store);
    expect(finished.filter((id) => !rows.has(id))).toEqual([]);
    return rows;
  });
  expect(new Set(finished).size).toBe(finished.length);
  expect(new Set(finished.map((id) => String(charged.get(id)))).size).toBe(1);
  await read();
  expect(balances.at(-1)).toBeLessThan(10_000);
  expect(balances).toEqual(balances.toSorted((a, b) => b - a));
  await expectSound(store);
});

interface AccountDocument {
  readonly balance: { readonly granted: string };
}

/** Runs `work` while the test holds the store's lock: no worker can book a charge, only the journal acknowledges it. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const lock = new DatabaseSync(join(gateway.directory, 'data/gateway.db'), { timeout: lockTimeoutMs });
  lock.exec('begin immediate');
  try {
    await work();
  } finally {
    lock.close();
  }
}

/** The workers commit many times a second, so the test may have to wait for the lock on a busy machine. */
const lockTimeoutMs = 60_000;

/** The total charge of each request. */
async function charges(store: Store): Promise<ReadonlyMap<string, bigint>> {
  const rows = await store.db
    .selectFrom('transfers')
    .select(['reference', 'amount'])
    .where('kind', 'in', ['charge', 'charge-rest'])
    .execute();
  const sums = new Map<string, bigint>();
  for (const { reference, amount } of rows) sums.set(reference, (sums.get(reference) ?? 0n) + BigInt(amount));
  return sums;
}
