import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { RawClient, rawExchange } from '../raw-client.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

const begun = chunk({ role: 'assistant', content: 'one' });

function openAnswers(): () => void {
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([begun, opened, finish('stop'), usage(1, 1), '[DONE]']));
  return open;
}

async function started(count: number) {
  const chats = Array.from({ length: count }, () => chat(gateway));
  await Promise.all(chats.map((running) => running.waitForText('one')));
  return chats;
}

async function readiness(): Promise<{ status: number; checks: Record<string, string> }> {
  const { status, body } = await rawExchange(gateway.port, 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
  return { status, checks: JSON.parse(body).checks };
}

test('a process whose event loop is blocked for 2 s is not ready for a while, aborts no answer and loses no money', async () => {
  gateway = await startServedGateway({ failpoint: 'ledger.settling:stall:1' });
  const open = openAnswers();
  const chats = await started(30);
  // On a busy machine, the event loop may have been blocked at the start.
  await expect.poll(readiness, { message: 'readiness' }).toMatchObject({ status: 200 });
  open();
  // The first charge blocks the process. The readiness probe is sent during the block and answered after it.
  const { status, checks } = await readinessWhileBlocked();
  expect([status, checks['event_loop']]).toEqual([
    503,
    expect.stringMatching(/^The event loop was blocked for \d+\.\d s\.$/),
  ]);
  for (const running of chats) expect(await running.over).toMatchObject({ status: 200, isDone: true });
  await expect.poll(readiness, { message: 'readiness' }).toMatchObject({ status: 200 });
  gateway.signal('SIGTERM');
  expect(await gateway.exit()).toBe(0);
  const store = await gateway.openStore();
  await expectSound(store);
  const rows = await store.db.selectFrom('requests').select('cost').execute();
  expect(rows.map(({ cost }) => Number(cost))).toEqual(chats.map(() => 3000));
});

async function readinessWhileBlocked() {
  for (;;) {
    const answered = await readiness();
    if (answered.checks['event_loop'] !== 'ok') return answered;
  }
}

test('after an uncaught error, the process logs it, completes running answers and exits with 1', async () => {
  gateway = await startServedGateway({ failpoint: 'requests.committed:throw:1' });
  const open = holdFirstAnswer(answer('hello'));
  const running = await startThenComplete();
  await gateway.waitForOutput(/let loose by a failpoint.*an unexpected error/);
  expect((await chat(gateway).over).status).toBeUndefined();
  expect(gateway.isAlive).toBe(true);
  open();
  expect(await running.over).toMatchObject({ status: 200, isDone: true });
  expect(await gateway.exit()).toBe(1);
  await expectSound(await gateway.openStore());
});

/** The first answer stays open. The record of the second one triggers the error. */
function holdFirstAnswer(first: ReturnType<typeof answer>): () => void {
  const { opened, open } = gate();
  const held = sse([begun, opened, finish('stop'), usage(1, 1), '[DONE]']);
  gateway.provider.respond('other', held, first);
  return open;
}

async function startThenComplete() {
  const running = chat(gateway);
  await running.waitForText('one');
  expect(await chat(gateway).over).toMatchObject({ isDone: true });
  return running;
}

test('without free file descriptors, running answers continue, and clients are served again when some are free', async () => {
  gateway = await startServedGateway({ descriptors: 256 });
  const open = openAnswers();
  const chats = await started(20);
  const flood: Socket[] = Array.from({ length: 400 }, () => {
    const socket = connect(gateway.port, '127.0.0.1');
    return socket.on('error', () => undefined);
  });
  await Promise.all(
    flood.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  );
  expect(gateway.isAlive).toBe(true);
  open();
  for (const running of chats) expect(await running.over).toMatchObject({ status: 200, isDone: true });
  for (const socket of flood) socket.destroy();
  gateway.provider.respond('other', answer('hello'));
  await expect.poll(async () => (await chat(gateway).over).isDone, { message: 'a chat is served again' }).toBe(true);
  gateway.signal('SIGTERM');
  expect(await gateway.exit()).toBe(0);
  expect(gateway.output).not.toContain('an unexpected error');
  await expectSound(await gateway.openStore());
});

test('without a descriptor for the provider, clients wait, no credential is ejected, and readiness reports it', async () => {
  gateway = await startServedGateway({
    config: { log: { level: 'warn' } },
    // All of them wait until the test raises the limit again.
    upstream: { timeouts: { connect: '10m' } },
  });
  gateway.provider.respond('other', answer('hello'));
  const probe = await connectedClient();
  // More than the failures in a row that eject a credential.
  const clients = await Promise.all(Array.from({ length: 8 }, connectedClient));
  gateway.limitDescriptors(1);
  for (const client of clients) client.send(chatText(gateway.key));
  await expect
    .poll(() => readinessOver(probe), { message: 'readiness without descriptors' })
    .toMatchObject({
      status: 503,
      checks: { system: expect.stringContaining('open files') },
    });
  expect(gateway.provider.calls).toHaveLength(0);
  gateway.limitDescriptors(4096);
  for (const client of clients) expect((await client.response()).status).toBe(200);
  await expect
    .poll(() => readinessOver(probe), { message: 'readiness with descriptors' })
    .toMatchObject({ status: 200 });
  expect(gateway.provider.calls).toHaveLength(8);
  expect(gateway.output).not.toMatch(/keeps failing|an unexpected error/);
});

/** A host name needs a DNS lookup, which fails with its own error when no file can be opened. */
const hosts = ['127.0.0.1', 'localhost'];

test.each(hosts)(
  'a request that waits too long for a descriptor to reach %s gets 503, and the upstream stays in use',
  async (host) => {
    gateway = await startServedGateway({
      config: { log: { level: 'warn' }, waiting: { hold_headers: '5m' } },
      // The last request has to connect in time, even on a busy machine.
      upstream: { timeouts: { connect: '5s' } },
      providerHost: host,
    });
    gateway.provider.respond('other', answer('hello'));
    const clients = await Promise.all(Array.from({ length: 8 }, connectedClient));
    gateway.limitDescriptors(1);
    for (const client of clients) client.send(chatText(gateway.key));
    for (const client of clients) {
      const { status, body } = await client.response();
      expect([status, JSON.parse(body).error]).toEqual([503, expect.objectContaining({ code: 'overloaded' })]);
    }
    gateway.limitDescriptors(4096);
    expect(await chat(gateway).over).toMatchObject({ status: 200, isDone: true });
    expect(gateway.output).not.toMatch(/keeps failing|an unexpected error/);
  },
);

/** An open connection. A request over it needs no new descriptor. */
async function connectedClient(): Promise<RawClient> {
  const client = await RawClient.connect(gateway.port);
  client.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  expect((await client.response()).status).toBe(200);
  return client;
}

function chatText(key: string): string {
  const body = JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'x' }] });
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

async function readinessOver(client: RawClient): Promise<{ status: number; checks: Record<string, string> }> {
  client.send('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
  const { status, body } = await client.response();
  return { status, checks: JSON.parse(body).checks };
}

test('5000 idle connections cost less than 120 MB', async () => {
  gateway = await startServedGateway();
  gateway.provider.respond('other', answer('hello'));
  expect(await chat(gateway).over).toMatchObject({ isDone: true });
  const before = await gateway.memoryBytes();
  const idle: RawClient[] = [];
  while (idle.length < 5000) {
    const some = await Promise.all(Array.from({ length: 250 }, () => RawClient.connect(gateway.port)));
    for (const client of some) client.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    for (const client of some) expect((await client.response()).status).toBe(200);
    idle.push(...some);
  }
  expect((await gateway.memoryBytes()) - before).toBeLessThan(120 * 1024 * 1024);
  expect(await chat(gateway).over).toMatchObject({ isDone: true });
  for (const client of idle) client.destroy();
  gateway.signal('SIGTERM');
  expect(await gateway.exit()).toBe(0);
  await expectSound(await gateway.openStore());
});
