import { createOpenAI } from '@ai-sdk/openai';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';
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

test('the openai SDK continues, retrieves and deletes a response, and lists its input', async () => {
  const first = await client.responses.create({ model: 'sim-chat', input: 'My name is Ada' });
  const second = await client.responses.create({
    model: 'sim-chat',
    previous_response_id: first.id,
    input: [{ role: 'user', content: 'Who am I?' }],
  });
  expect(second.usage!.input_tokens).toBeGreaterThan(first.usage!.input_tokens);
  const found = await client.responses.retrieve(second.id);
  expect(found.output).toEqual(second.output);
  expect(found.output_text).toBe(second.output_text);
  const items = [];
  for await (const item of client.responses.inputItems.list(second.id, { limit: 1 })) items.push(item);
  expect(items).toMatchObject([{ type: 'message', role: 'user' }]);
  await client.responses.delete(second.id);
  await expect(client.responses.retrieve(second.id)).rejects.toMatchObject({ status: 404 });
});

test('the openai SDK reads a stored response as events', async () => {
  const { id, output_text: text } = await client.responses.create({ model: 'sim-think', input: 'Think about tea' });
  const again = await client.responses.stream({ response_id: id }).finalResponse();
  expect(again.output_text).toBe(text);
  expect(again.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
});

test('the openai SDK counts input tokens and compacts a conversation', async () => {
  const input = [{ role: 'user' as const, content: 'My name is Ada' }];
  const { input_tokens: count } = await client.responses.inputTokens.count({ model: 'sim-chat', input });
  expect(count).toBeGreaterThan(3);
  const short = await client.responses.compact({ model: 'sim-chat', input });
  expect(short.output.at(-1)).toMatchObject({ type: 'compaction' });
  const next = await client.responses.create({
    model: 'sim-chat',
    input: [...(short.output as unknown as typeof input), ...input],
  });
  expect(next.status).toBe('completed');
});

test('the AI SDK takes several steps with its default settings, and references stored items', async () => {
  const toolInputs: unknown[] = [];
  const bodies: string[] = [];
  const provider = createOpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: gateway.key,
    fetch: async (address, init) => {
      bodies.push(init?.body as string);
      return fetch(address, init);
    },
  });
  const weather = tool({
    description: 'The weather of a city',
    inputSchema: jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    }),
    execute: async (input) => {
      toolInputs.push(input);
      return 'sunny, 21 degrees';
    },
  });
  const first = streamText({
    model: provider('sim-tools'),
    prompt: 'What is the weather in Oslo?',
    stopWhen: stepCountIs(3),
    tools: { get_weather: weather },
  });
  expect(await first.text).toContain('sunny');
  expect(toolInputs).toHaveLength(1);
  const { messages } = await first.response;
  const second = streamText({
    model: provider('sim-chat'),
    messages: [
      { role: 'user', content: 'What is the weather in Oslo?' },
      ...messages,
      { role: 'user', content: 'Thanks' },
    ],
  });
  expect((await second.text).length).toBeGreaterThan(5);
  expect(bodies.at(-1)).toContain('item_reference');
});
