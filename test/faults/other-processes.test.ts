import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { openPepper } from '../../src/accounts/pepper.ts';
import type { Store } from '../../src/store/store.ts';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fake-provider.ts';
import { makeKey } from '../keys.ts';
import { launcher } from '../launcher.ts';
import { processEnvironment } from '../process-environment.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';
import { workersOf } from '../worker-processes.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

const executed = promisify(execFile);

/** A command in a process of its own, on the store of the gateway that runs. */
async function command(...words: readonly string[]): Promise<unknown> {
  const where = ['--data', join(gateway.directory, 'data'), '--json'];
  const env = processEnvironment;
  const { stdout } = await executed(process.execPath, [launcher, ...words, ...where], { cwd: gateway.directory, env });
  return JSON.parse(stdout);
}

test('who waits is held to what another process has made of its key', async () => {
  gateway = await startServedGateway({ upstream: { max_concurrency: 1 } });
  const store = await gateway.openStore();
  const pepper = await openPepper(store, { data: join(gateway.directory, 'data'), secret: undefined });
  const key = (name: string) => makeKey({ store, pepper }, { account: 'tester', name });
  const [revoked, narrowed, renamed] = [await key('revoked'), await key('narrowed'), await key('renamed')];
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([chunk({ content: 'one' }), opened, finish('stop'), usage(1, 1), '[DONE]']));
  const { port } = gateway;
  const first = chat({ port, key: gateway.key });
  await first.says('one');
  gateway.provider.respond('other', answer('hello'));
  const waiting = [revoked, narrowed, renamed].map(({ secret }) => chat({ port, key: secret }));
  const [, token = ''] = await gateway.says(/Your admin token, shown this once: (\S+)/);
  await eventually(async () => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const live = await fetch(`http://127.0.0.1:${port}/admin/v1/live`, { headers });
    expect(await live.json()).toMatchObject({ totals: { waiting: 3 } });
  });
  await command('keys', 'revoke', revoked.id);
  await command('keys', 'change', narrowed.id, '--models', 'nothing-*');
  await command('keys', 'change', renamed.id, '--name', 'another name');
  // The gateway has heard of it when a request that comes now is told so.
  const hurried = { 'x-stainless-timeout': '0.01' };
  const told = async ({ secret }: { secret: string }) =>
    (await chat({ port, key: secret, headers: hurried }).over).status;
  await expect.poll(() => told(revoked)).toBe(401);
  await expect.poll(() => told(narrowed)).toBe(403);
  open();
  const [one, two, three] = await Promise.all(waiting.map(({ over }) => over));
  expect([one?.error?.code, two?.error?.code]).toEqual(['invalid_api_key', 'access_denied']);
  expect(three).toMatchObject({ status: 200, isDone: true });
  expect(await first.over).toMatchObject({ isDone: true });
  expect(gateway.provider.calls).toHaveLength(2);
  await expectSound(store);
});

/** As many as come together so often that the journal vouches for most of them. */
const clients = 24;

test('what the journal has vouched for is charged once although its workers are killed, beside processes that read', async () => {
  gateway = await startServedGateway({ config: { workers: 2 } });
  const { port, key } = gateway;
  gateway.provider.respond('other', answer('hello'));
  const store = await gateway.openStore();
  const finished: string[] = [];
  const over = new AbortController();
  const keepAsking = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { id, isDone } = await chat({ port, key }).over;
      if (isDone) finished.push(id);
    }
  };
  const left: number[] = [];
  const keepReading = async (): Promise<void> => {
    while (!over.signal.aborted)
      left.push(Number(((await command('accounts', 'show', 'tester')) as Shown).balance.granted));
  };
  const load = [...Array.from({ length: clients }, keepAsking), keepReading()];
  await eventually(() => killWith(store, finished));
  const before = finished.length;
  await expect.poll(() => finished.length).toBeGreaterThan(before + clients);
  over.abort();
  await Promise.all(load);
  const charged = await eventually(async () => {
    const rows = await charges(store);
    expect(finished.filter((id) => !rows.has(id))).toEqual([]);
    return rows;
  });
  expect(new Set(finished).size).toBe(finished.length);
  expect(new Set(finished.map((id) => String(charged.get(id)))).size).toBe(1);
  expect(left.length).toBeGreaterThan(1);
  expect(left.at(-1)).toBeLessThan(10_000);
  expect(left).toEqual(left.toSorted((a, b) => b - a));
  await expectSound(store);
});

interface Shown {
  readonly balance: { readonly granted: string };
}

/** Kills all workers while somebody has seen the end of an answer whose charge is in the journal alone. */
async function killWith(store: Store, finished: readonly string[]): Promise<void> {
  const workers = await workersOf(gateway);
  const all = (signal: NodeJS.Signals): void => workers.forEach((pid) => void process.kill(pid, signal));
  expect(workers).toHaveLength(2);
  all('SIGSTOP');
  const booked = await charges(store);
  const isVouched = finished.some((id) => !booked.has(id));
  all(isVouched ? 'SIGKILL' : 'SIGCONT');
  if (!isVouched) throw new Error('the store had them all');
}

/** What each request was charged, all its lines together. */
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
