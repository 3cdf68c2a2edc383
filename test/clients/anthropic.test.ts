import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

let gateway: SimulatedGateway;
let client: Anthropic;
beforeAll(async () => {
  gateway = await startSimulatedGateway();
  client = new Anthropic({ baseURL: `${gateway.url}/anthropic`, apiKey: gateway.key, authToken: null, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }];
const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};

test('the Anthropic SDK gets a message without streaming', async () => {
  const message = await client.messages.create({ model: 'sim-chat', max_tokens: 200, messages });
  expect(message).toMatchObject({ type: 'message', role: 'assistant', model: 'sim-chat-2026-01-01' });
  expect(message.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/\w{3}/) }]);
  expect([message.stop_reason, message.stop_sequence]).toEqual(['end_turn', null]);
  expect(message.usage.input_tokens).toBeGreaterThan(0);
  expect(message.usage.output_tokens).toBeGreaterThan(0);
});

test('the Anthropic SDK streams, and gets the input tokens in the first event', async () => {
  const stream = await client.messages.create({ model: 'sim-chat', max_tokens: 200, messages, stream: true });
  const types: string[] = [];
  let inputTokens = 0;
  for await (const event of stream) {
    if (types.at(-1) !== event.type) types.push(event.type);
    if (event.type === 'message_start') inputTokens = event.message.usage.input_tokens;
  }
  expect(types).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(inputTokens).toBeGreaterThan(0);
});

test('the Anthropic SDK’s stream helper assembles thinking and text', async () => {
  const stream = client.messages.stream({ model: 'sim-think', max_tokens: 4000, messages });
  const message = await stream.finalMessage();
  expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
  expect(message.usage.output_tokens).toBeGreaterThan(0);
});

test('the Anthropic SDK gets the stop reason of a truncated answer', async () => {
  const short = await client.messages.create({ model: 'sim-chat', max_tokens: 2, messages });
  expect(short.stop_reason).toBe('max_tokens');
  const counted = [{ role: 'user' as const, content: 'count to 9' }];
  const stopped = await client.messages.create({
    model: 'sim-chat',
    max_tokens: 200,
    messages: counted,
    stop_sequences: ['5'],
  });
  expect([stopped.stop_reason, stopped.stop_sequence]).toEqual(['stop_sequence', '5']);
});

test('the Anthropic SDK runs a tool and gets the final answer', async () => {
  const toolInputs: unknown[] = [];
  const runner = client.beta.messages.toolRunner({
    model: 'sim-tools',
    max_tokens: 1000,
    messages,
    tools: [
      {
        ...weather,
        run: (given: unknown) => {
          toolInputs.push(given);
          return 'sunny, 21 degrees';
        },
        parse: (given: unknown) => given,
      },
    ],
  });
  const final = await runner;
  expect(toolInputs).toEqual([{ city: expect.any(String) }]);
  expect(JSON.stringify(final.content)).toContain('sunny');
});

test('the Anthropic SDK counts tokens', async () => {
  const { input_tokens } = await client.messages.countTokens({ model: 'sim-chat', messages, tools: [weather] });
  expect(input_tokens).toBeGreaterThan(5);
  expect(input_tokens).toBeLessThan(100);
});

test('the Anthropic SDK lists the models and finds one by its name', async () => {
  const ids: string[] = [];
  for await (const model of client.models.list({ limit: 2 })) ids.push(model.id);
  expect(ids).toContain('sim-chat-2026-01-01');
  expect(new Set(ids).size).toBe(ids.length);
  const found = await client.models.retrieve('sim-chat');
  expect(found).toMatchObject({ type: 'model', id: 'sim-chat-2026-01-01' });
});

test('the Anthropic SDK throws the right class for each error, with the request id', async () => {
  const stranger = new Anthropic({ baseURL: `${gateway.url}/anthropic`, apiKey: 'stranger', authToken: null });
  const send = (api: Anthropic, body: object) =>
    api.messages.create({ model: 'sim-chat', max_tokens: 10, messages, ...body } as never).catch((error) => error);
  const refusals = await Promise.all([
    send(stranger, {}),
    send(client, { model: 'absent' }),
    send(client, { max_tokens: -1 }),
  ]);
  expect(refusals[0]).toBeInstanceOf(Anthropic.AuthenticationError);
  expect(refusals[1]).toBeInstanceOf(Anthropic.PermissionDeniedError);
  expect(refusals[2]).toBeInstanceOf(Anthropic.BadRequestError);
  for (const refusal of refusals) {
    expect(refusal.requestID).toBeTruthy();
    expect(refusal.message).toContain(`(request id: ${refusal.requestID})`);
  }
});
