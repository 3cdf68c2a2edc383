import { Agent, get } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { Store } from '../../src/platform/store/store.ts';
import { expectSound } from '../at-rest.ts';
import { chat, type RunningChat } from '../chat-client.ts';
import type { GatewayProcess } from '../crash/processes.ts';
import { type FakeProvider, gate, json } from '../fakes/fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';
import { whileAlone, workersOf } from '../gateways/worker-processes.ts';
import { answersWith, chargesOf, recordOf, setUpGateways } from './idempotency-stage.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Sends a request with this Idempotency-Key to one of the processes. */
type SendNamed = (name: string) => RunningChat;

test('gateways on one PostgreSQL generate one answer per Idempotency-Key, and a second one only if the first process is dead', async () => {
  const stage = await setUpGateways();
  cleanUps.push(() => stage.tearDown());
  const { provider, key, store, start } = stage;
  const [doomed, other] = [await start(), await start()];
  const sender = ({ port }: GatewayProcess): SendNamed => senderTo({ port, key });
  await expectOneAnswer(provider, [sender(doomed), sender(other)], store);
  await expectOneEmbedding(provider, [doomed.port, other.port], { key, store });

  const open = gate();
  answersWith(provider, open);
  const before = provider.calls.length;
  const first = sender(doomed)('killed');
  await first.waitForText('one');
  await doomed.kill();
  const retry = sender(other)('killed');
  open.open();
  expect(await retry.over).toMatchObject({ status: 200, isDone: true });
  expect(provider.calls.length - before).toBe(2);
  const { notes, replayOf, cost } = await recordOf(store, await retry.over);
  expect([notes, replayOf]).toEqual([[expect.stringContaining('is gone')], undefined]);
  expect(cost).toBeGreaterThan(0n);
  await expectSound(store);
});

test('workers generate one answer per Idempotency-Key, and no second one while the first worker is only frozen', async () => {
  const gateway = await startServedGateway({ config: { workers: 2 } });
  cleanUps.push(() => gateway.clean());
  const workers = await workersOf(gateway);
  const [one, two] = [await connectionTo(gateway, workers[0]!), await connectionTo(gateway, workers[1]!)];
  await expectOneAnswer(gateway.provider, [one, two], await gateway.openStore());

  const open = gate();
  answersWith(gateway.provider, open);
  const before = gateway.provider.calls.length;
  const first = one('frozen');
  await first.waitForText('one');
  const refused = await whileAlone(gateway, workers[1]!, () => two('frozen').over);
  expect(refused).toMatchObject({ status: 503, error: { code: 'answer_under_way' } });
  expect(gateway.provider.calls.length - before).toBe(1);
  process.kill(workers[0]!, 'SIGKILL');
  const again = two('frozen');
  open.open();
  expect(await again.over).toMatchObject({ status: 200, isDone: true });
  expect(gateway.provider.calls.length - before).toBe(2);
});

/** All processes return the same answer, during it and after its end. It is generated and charged once. */
async function expectOneAnswer(provider: FakeProvider, senders: readonly SendNamed[], store: Store): Promise<void> {
  const open = gate();
  answersWith(provider, open);
  const chats = senders.map((each) => each('at once'));
  await Promise.all(chats.map((each) => each.waitForText('one')));
  open.open();
  const outcomes = await Promise.all(chats.map((each) => each.over));
  for (const each of senders) outcomes.push(await each('at once').over);
  expect(new Set(outcomes.map(({ text, isDone }) => `${isDone} ${text}`)).size).toBe(1);
  expect(outcomes[0]).toMatchObject({ status: 200, isDone: true });
  expect(provider.calls).toHaveLength(1);
  const records = await Promise.all(outcomes.map((outcome) => recordOf(store, outcome)));
  expect(records.filter(({ cost }) => cost !== 0n)).toHaveLength(1);
  expect(records.filter(({ replayOf }) => replayOf === undefined)).toHaveLength(1);
  await chargesOf(store, 1);
}

/** A pass-through endpoint has one answer too: the second process calls no provider while the first one waits. */
async function expectOneEmbedding(
  provider: FakeProvider,
  ports: readonly number[],
  { key, store }: { readonly key: string; readonly store: Store },
): Promise<void> {
  const open = gate();
  const vectors = {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
    usage: { prompt_tokens: 3 },
  };
  provider.respond('vectors', async (writer, call) => {
    await open.opened;
    await json(200, vectors)(writer, call);
  });
  const before = provider.calls.length;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'vectors' };
  const body = JSON.stringify({ model: 'vectors', input: 'hello' });
  const embed = (port: number | undefined) =>
    fetch(`http://127.0.0.1:${port}/v1/embeddings`, { method: 'POST', headers, body });
  const first = embed(ports[0]);
  await provider.call('vectors').received;
  const retry = embed(ports[1]);
  const claims = () =>
    store.db
      .selectFrom('reply_claims')
      .selectAll()
      .where('state', '=', 'running')
      .where('read_until', 'is not', null)
      .execute();
  await expect.poll(claims, { message: 'a running claim that the second process waits for' }).not.toEqual([]);
  open.open();
  const replies = await Promise.all([first, retry]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  const [one, two] = await Promise.all(replies.map((reply) => reply.text()));
  expect(two).toBe(one);
  expect(provider.calls.length - before).toBe(1);
  await chargesOf(store, 2);
}

function senderTo({
  port,
  key,
  agent,
}: {
  readonly port: number;
  readonly key: string;
  readonly agent?: Agent;
}): SendNamed {
  return (name) => chat({ port, key, headers: { 'idempotency-key': name }, ...(agent && { agent }) });
}

/** Keeps a connection to one worker. The worker that accepts it while the others are stopped keeps it. */
async function connectionTo(gateway: ServedGateway, worker: number): Promise<SendNamed> {
  const { port, key } = gateway;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanUps.push(() => agent.destroy());
  await whileAlone(
    gateway,
    worker,
    () =>
      new Promise<void>((resolve, reject) => {
        get({ host: '127.0.0.1', port, path: '/healthz', agent }, (response) =>
          response.resume().on('end', resolve),
        ).on('error', reject);
      }),
  );
  return senderTo({ port, key, agent });
}
