import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

let gateway: SimulatedGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startSimulatedGateway();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const order = { model: 'sim-chat', input: 'Write about otters in space', background: true } as const;

test('the openai SDK creates a response in the background, polls it and continues it', async () => {
  const created = await client.responses.create(order);
  expect(created).toMatchObject({ object: 'response', status: 'queued', background: true, output: [] });
  await expect.poll(async () => (await client.responses.retrieve(created.id)).status).toBe('completed');
  const response = await client.responses.retrieve(created.id);
  expect(response.output_text.length).toBeGreaterThan(0);
  expect(response.usage!.output_tokens).toBeGreaterThan(0);
  const next = await client.responses.create({ model: 'sim-chat', input: 'And?', previous_response_id: created.id });
  expect(next.usage!.input_tokens).toBeGreaterThan(response.usage!.input_tokens);
  expect(await client.responses.cancel(created.id)).toMatchObject({ id: created.id, status: 'completed' });
  await client.responses.delete(created.id);
  await expect(client.responses.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
});

test('the openai SDK leaves a stream in the background, and resumes it after the last event', async () => {
  const seen: OpenAI.Responses.ResponseStreamEvent[] = [];
  let id = '';
  for await (const event of await client.responses.create({ ...order, stream: true })) {
    if (event.type === 'response.created') ({ id } = event.response);
    seen.push(event);
    if (event.type === 'response.output_text.delta') break;
  }
  const after = seen.at(-1)!.sequence_number;
  const resumed = await client.responses.retrieve(id, { stream: true, starting_after: after });
  for await (const event of resumed) seen.push(event);
  expect(seen.map((event) => event.sequence_number)).toEqual(seen.map((_, index) => index));
  expect(seen.at(-1)!.type).toBe('response.completed');
  const whole: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await client.responses.retrieve(id, { stream: true })) whole.push(event);
  expect(whole).toEqual(seen);
});

test('the stream helper of the openai SDK reads a response in the background', async () => {
  const helper = client.responses.stream({ ...order, model: 'sim-think' });
  const response = await helper.finalResponse();
  expect(response).toMatchObject({ status: 'completed', background: true });
  const again = await client.responses.stream({ response_id: response.id }).finalResponse();
  expect(again.output).toEqual(response.output);
});

test('the openai SDK gets errors of requests that cannot run in the background', async () => {
  await expect(client.responses.create({ ...order, store: false })).rejects.toMatchObject({ status: 400 });
  const ordinary = await client.responses.create({ ...order, background: false });
  await expect(client.responses.cancel(ordinary.id)).rejects.toMatchObject({ status: 400 });
});
