import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import type { GatewayProcess } from '../crash/processes.ts';
import { answer, chunk, gate, sse } from '../fakes/fake-provider.ts';
import { eventsIn, responseLife } from '../response-life.ts';
import { answersWith, chargesOf, type IdempotencyStage, setUpGateways } from './idempotency-stage.ts';

let stage: IdempotencyStage;
beforeAll(async () => {
  stage = await setUpGateways();
});
afterEach(() => expectSound(stage.store));
afterAll(() => stage.tearDown());

async function call({ port }: GatewayProcess, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${stage.key}`, 'content-type': 'application/json' };
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  return fetch(`http://127.0.0.1:${port}/v1/responses${path}`, init);
}

/** Reads the events of a response. `text` is what has arrived so far. */
function follow(gateway: GatewayProcess, path: string) {
  const received = { text: '' };
  const over = (async () => {
    const response = await call(gateway, path);
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) received.text += piece;
  })();
  return { received, over };
}

const create = async (gateway: GatewayProcess, model = 'other') =>
  (await (await call(gateway, '', { model, input: 'hello', background: true })).json()) as { id: string };

async function ended(gateway: GatewayProcess, id: string): Promise<any> {
  const read = async () => (await (await call(gateway, `/${id}`)).json()) as any;
  await expect
    .poll(async () => (await read()).status, { message: 'the response ends' })
    .toMatch(/^(completed|failed)$/);
  return read();
}

/** As if the killed process had been silent for 30 s. */
async function kill(doomed: GatewayProcess, processes: readonly string[]): Promise<void> {
  await doomed.kill();
  await stage.store.db.updateTable('processes').set({ heartbeat_at: 1 }).where('id', 'in', processes).execute();
}

const processesNow = async () =>
  (await stage.store.db.selectFrom('processes').select('id').execute()).map(({ id }) => id);

const framesIn = (text: string) => text.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));

test('killed before anything was charged or streamed: another gateway runs the response again', async () => {
  const doomed = await stage.start();
  stage.provider.respond('other', sse([gate().opened]));
  const { id } = await create(doomed, 'free');
  await stage.provider.call('other', 0).received;
  const processes = await processesNow();
  const other = await stage.start();
  stage.provider.respond('other', answer('hello again'));
  await kill(doomed, processes);
  const response = await ended(other, id);
  expect(response).toMatchObject({ id, status: 'completed', output: [{ content: [{ text: 'hello again' }] }] });
  expect(stage.provider.calls.length).toBe(2);
  await other.kill();
});

test('a gateway streams what another one generates; killed then, the response fails, and its readers get the error', async () => {
  const doomed = await stage.start();
  stage.provider.respond('other', sse([chunk({ content: 'Hello' }), chunk({ content: ' you' }), gate().opened]));
  const callsBefore = stage.provider.calls.length;
  const { id } = await create(doomed);
  await stage.provider.call('other', callsBefore).received;
  const processes = await processesNow();
  const other = await stage.start();
  const reader = follow(other, `/${id}?stream=true`);
  await expect.poll(() => reader.received.text, { message: 'the events from elsewhere' }).toContain('"delta":" you"');
  await kill(doomed, processes);
  await reader.over;
  const events = eventsIn(reader.received.text);
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
  const { response, error } = responseLife(await (await call(other, `/${id}?stream=true`)).text());
  expect(response).toEqual(events.at(-1)!['response']);
  expect(response).toMatchObject({ id, status: 'failed', output: [] });
  expect(error).toMatchObject({ code: 'server_error' });
  expect(await ended(other, id)).toEqual(response);
  expect(stage.provider.calls.length).toBe(callsBefore + 1);
  await chargesOf(stage.store, 1);
  await other.kill();
});

test('every stream at either gateway, from any event, equals the rest of the full one', async () => {
  const [one, other] = [await stage.start(), await stage.start()];
  const open = gate();
  answersWith(stage.provider, open);
  const { id } = await create(one);
  const early = [one, other].map((gateway) => follow(gateway, `/${id}?stream=true`));
  for (const { received } of early) await expect.poll(() => received.text).toContain('"delta":"one"');
  const late = [1, 3, 4, 5].flatMap((from) =>
    [one, other].map((gateway) => ({ from, ...follow(gateway, `/${id}?stream=true&starting_after=${from}`) })),
  );
  open.open();
  for (const { over } of [...early, ...late]) await over;
  const full = await (await call(other, `/${id}?stream=true`)).text();
  expect(responseLife(full).response).toMatchObject({ status: 'completed' });
  const frames = framesIn(full);
  for (const { received } of early) expect(framesIn(received.text)).toEqual(frames);
  for (const { from, received } of late) expect(framesIn(received.text)).toEqual(frames.slice(from + 1));
});
