import { Agent, request } from 'node:http';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KeyId } from '../../src/money/accounts/ids.ts';
import { limitKey } from '../../src/money/accounts/key-limits.ts';
import { openPepper } from '../../src/platform/secrets/pepper.ts';
import { expectSound } from '../at-rest.ts';
import { chat, type RunningChat } from '../chat-client.ts';
import { type CountingProvider, countingProvider } from '../fakes/counting-provider.ts';
import { eventually } from '../eventually.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { makeKey } from '../keys.ts';
import { metricsIn, sumIn } from '../metrics-text.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';
import { whileAlone, workersOf } from '../gateways/worker-processes.ts';

/** One gateway for all tests. They restore its state; only the last one stops it. */
let gateway: ServedGateway;
let counting: CountingProvider;
const slots = 3;
beforeAll(async () => {
  counting = await countingProvider();
  const second = { base_url: counting.url, max_concurrency: slots };
  gateway = await startServedGateway({ config: { workers: 2, stored_bodies: {} }, second });
});
afterAll(async () => {
  await gateway.clean();
  await counting.close();
});

const begun = chunk({ role: 'assistant', content: 'one' });

function openAnswers(): () => void {
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([begun, opened, finish('stop'), usage(1, 1), '[DONE]']));
  return open;
}

async function started(count: number, key = gateway.key): Promise<readonly RunningChat[]> {
  const chats = Array.from({ length: count }, () => chat({ port: gateway.port, key }));
  await Promise.all(chats.map((running) => running.waitForText('one')));
  return chats;
}

async function twoWorkers(): Promise<readonly [number, number]> {
  const [one, other] = await workersOf(gateway);
  return [one!, other!];
}

test('all workers use the same configuration, also after a reload', async () => {
  const [one, other] = await twoWorkers();
  const file = join(gateway.directory, 'gateway.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll('other', 'another'));
  await gateway.waitForOutput(/was applied/);
  for (const worker of [one, other]) {
    const listed = await whileAlone(gateway, worker, () => get('/v1/models'));
    expect([worker, listed.data?.map(({ id }) => id)]).toEqual([worker, ['another', 'second']]);
    // If the other worker was stopped for too long, it has to report again first.
    await eventually(async () => {
      const ready = await whileAlone(gateway, worker, () => get('/readyz'));
      expect(ready).toMatchObject({ status: 'ok', checks: { workers: 'ok' } });
    });
  }
  await writeFile(file, 'workers: none');
  await gateway.waitForOutput(/was not applied/);
  await writeFile(file, text);
  await gateway.waitForOutput(/was not applied[^]*was applied/);
});

test('each worker reports the live figures of all workers', async () => {
  const open = openAnswers();
  const workers = await twoWorkers();
  const chats = (await sequentially(workers, (worker) => whileAlone(gateway, worker, () => started(1)))).flat();
  const [, token = ''] = await gateway.waitForOutput(/Your admin token, shown only once: (\S+)/);
  for (const worker of workers) {
    // Each worker reports to the parent about once a second, and must be running to do so.
    await eventually(async () => {
      const live = await whileAlone(gateway, worker, () => get('/admin/v1/live', token));
      const { process, totals, accounts, upstreams } = live;
      expect(totals).toMatchObject({ requests: 2, running: 2, waiting: 0 });
      expect(accounts).toMatchObject([{ name: 'tester', running: 2 }]);
      const [{ processes }] = upstreams as [
        { processes: { process: string; pid: number; worker: number; running: number }[] },
      ];
      expect(processes.find(({ pid }) => pid === worker)?.process).toBe(process?.id);
      expect(processes.map(({ pid, worker, running }) => [pid, worker, running])).toEqual([
        [workers[0], 1, 1],
        [workers[1], 2, 1],
      ]);
    });
  }
  open();
  for (const running of chats) expect(await running.over).toMatchObject({ isDone: true });
});

test('a killed worker loses only its own streams and their stored bodies, and the parent replaces it', async () => {
  const open = openAnswers();
  const store = await gateway.openStore();
  const pepper = await openPepper(store, { data: join(gateway.directory, 'data'), secret: undefined });
  const storing = (name: string) => makeKey({ store, pepper }, { account: 'tester', name, storeBodies: true });
  const { id: keyId, secret: key } = await storing('storing');
  const { secret: witness } = await storing('witness');
  const stored = async (): Promise<readonly string[]> =>
    (await store.db.selectFrom('sealed_blobs').select('id').execute()).map(({ id }) => id);
  const [doomed, other] = await twoWorkers();
  const lost = await whileAlone(gateway, doomed, () => started(3, key));
  const kept = await whileAlone(gateway, other, () => started(3, key));
  process.kill(doomed, 'SIGKILL');
  const unstored: string[] = [];
  for (const running of lost) {
    const outcome = await running.over;
    expect(outcome).toMatchObject({ status: 200, isComplete: false });
    unstored.push(outcome.id);
  }
  await gateway.waitForOutput(/Worker 1 ended \(SIGKILL\)/);
  open();
  for (const running of kept) expect(await running.over).toMatchObject({ status: 200, isDone: true });
  const successor = await eventually(async () => {
    const next = (await workersOf(gateway)).find((pid) => pid !== doomed && pid !== other);
    expect(next).toBeDefined();
    return next!;
  });
  gateway.provider.respond('other', answer('hello'));
  // The new worker accepts connections only when it is ready.
  expect(await whileAlone(gateway, successor, () => chat(gateway).over)).toMatchObject({ status: 200, isDone: true });
  const ids = (await Promise.all(kept.map(({ over }) => over))).map(({ id }) => id);
  // Bodies that are not yet stored when a key stops storing are dropped.
  await eventually(async () => expect(await stored()).toEqual(expect.arrayContaining(ids)));
  await limitKey(store, keyId as KeyId, { storeBodies: false, models: ['other'] });
  const chatWith = (secret: string, model = 'other') => chat({ port: gateway.port, key: secret, model }).over;
  for (const worker of [other, successor]) {
    // A worker that rejects the other model has read the change.
    await eventually(async () =>
      expect(await whileAlone(gateway, worker, () => chatWith(key, 'second'))).toMatchObject({ status: 403 }),
    );
    unstored.push((await whileAlone(gateway, worker, () => chatWith(key))).id);
    // A worker stores bodies in the order of its requests. Once this one is stored, all earlier ones are.
    ids.push((await whileAlone(gateway, worker, () => chatWith(witness))).id);
  }
  await eventually(async () => expect(await stored()).toEqual(expect.arrayContaining(ids)));
  expect(unstored).toEqual(Array.from({ length: 5 }, () => expect.stringMatching(/./)));
  expect((await stored()).filter((id) => unstored.includes(id))).toEqual([]);
  await expectSound(store);
});

test('a rolling restart loses and rejects no request, and obeys the limit of an upstream', async () => {
  const open = openAnswers();
  const before = await twoWorkers();
  const running = (await sequentially(before, (worker) => whileAlone(gateway, worker, () => started(2)))).flat();
  // There are fewer slots than clients, so most of them wait for a slot at any time.
  const load = Array.from({ length: 8 }, (_, index) => startClient(index % 2 === 0));
  await waitForAnswers(load, 1);
  gateway.signal('SIGUSR2');
  await gateway.waitForOutput(/All workers were replaced/);
  expect(before.every(isRunning)).toBe(true);
  open();
  for (const each of running) expect(await each.over).toMatchObject({ status: 200, isDone: true });
  // An old worker exits after its last client has disconnected.
  await eventually(() => expect(before.filter(isRunning)).toEqual([]));
  await waitForAnswers(load, 1);
  const outcomes = (await Promise.all(load.map(({ stop }) => stop()))).flat();
  expect(outcomes.filter((outcome) => outcome !== 'done')).toEqual([]);
  expect(counting.peak).toBeLessThanOrEqual(slots);
  expect(await workersOf(gateway)).toHaveLength(2);
});

test('a metric is the sum over all workers, and does not decrease when one of them is killed', async () => {
  // The counts of other tests may still be in transit between workers, so this test counts only messages.
  expect(await countedMessages()).toBe(0);
  gateway.provider.respond('other', answer('hello'));
  const workers = await twoWorkers();
  for (const worker of workers) await whileAlone(gateway, worker, sendMessage);
  const [doomed, survivor] = workers;
  // The worker can be killed once another worker has received its counts.
  await eventually(async () => expect(await whileAlone(gateway, survivor, countedMessages)).toBe(2));
  process.kill(doomed, 'SIGKILL');
  expect(await countedMessages()).toBe(2);
  await eventually(() => expect(isRunning(doomed)).toBe(false));
  expect(await countedMessages()).toBe(2);
  await eventually(async () => expect(await twoWorkers()).not.toContain(undefined));
});

test('workers whose parent was killed complete their answers and exit', async () => {
  const open = openAnswers();
  const workers = await twoWorkers();
  const chats = (await sequentially(workers, (worker) => whileAlone(gateway, worker, () => started(1)))).flat();
  gateway.signal('SIGKILL');
  await gateway.exit();
  // No process accepts connections: the address is free for the next gateway.
  // A health probe instead of a chat: a worker that still accepts a chat would not answer it before `open`.
  await eventually(() => expect(fetch(`http://127.0.0.1:${gateway.port}/healthz`)).rejects.toThrow());
  open();
  for (const running of chats) expect(await running.over).toMatchObject({ status: 200, isDone: true });
  await eventually(() => expect(workers.filter(isRunning)).toEqual([]));
  await expectSound(await gateway.openStore());
});

async function sequentially<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface LoopingClient {
  /** The number of ended requests. */
  readonly ended: number;
  stop(): Promise<readonly string[]>;
}

/** Waits until each client has received `more` further answers. */
async function waitForAnswers(clients: readonly LoopingClient[], more: number): Promise<void> {
  const wanted = clients.map(({ ended }) => ended + more);
  const late = () => clients.filter(({ ended }, index) => ended < wanted[index]!);
  await expect.poll(late, { message: 'clients that wait for an answer' }).toEqual([]);
}

/** A client that sends requests in a loop, on one connection while it stays open, or on a new one each time. */
function startClient(keepsConnection: boolean): LoopingClient {
  const agent = new Agent({ keepAlive: keepsConnection, maxSockets: 1 });
  const outcomes: string[] = [];
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) outcomes.push(await sendOnce(agent));
    agent.destroy();
  })();
  return {
    get ended() {
      return outcomes.length;
    },
    async stop() {
      stopping.abort();
      await loop;
      return outcomes;
    },
  };
}

function sendOnce(agent: Agent): Promise<string> {
  const { port, key } = gateway;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  return new Promise((resolve) => {
    const outgoing = request({ port, agent, headers, method: 'POST', path: '/v1/chat/completions' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('close', () =>
        resolve(text.endsWith('data: [DONE]\n\n') ? 'done' : `${response.statusCode} ${text}`),
      );
    });
    outgoing.on('error', (error) => resolve(error.message));
    outgoing.end(JSON.stringify({ model: 'second', messages: [{ role: 'user', content: 'x' }] }));
  });
}

interface Body {
  readonly data?: readonly { readonly id: string }[];
  readonly process?: { readonly id: string };
  readonly status?: string;
  readonly checks?: unknown;
  readonly totals?: unknown;
  readonly accounts?: unknown;
  readonly upstreams?: unknown;
}

async function sendMessage(): Promise<void> {
  const { port, key } = gateway;
  const headers = { 'x-api-key': key, 'content-type': 'application/json', connection: 'close' };
  const body = JSON.stringify({ model: 'other', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] });
  const response = await fetch(`http://127.0.0.1:${port}/anthropic/v1/messages`, { method: 'POST', headers, body });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('hello')]);
}

/** Messages requests that all workers have served, according to one of them. */
async function countedMessages(): Promise<number> {
  const [, token = ''] = await gateway.waitForOutput(/Your admin token, shown only once: (\S+)/);
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  return eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/metrics`, { headers });
    expect(response.status).toBe(200);
    return sumIn(metricsIn(await response.text()), 'gateway_requests_total', 'surface="messages"');
  });
}

async function get(path: string, secret = gateway.key): Promise<Body> {
  const headers = { authorization: `Bearer ${secret}`, connection: 'close' };
  const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, { headers });
  return (await response.json()) as Body;
}
