import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunk, finish, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

let simulated: SimulatedGateway;
let gateway: TestGateway;
beforeAll(async () => {
  simulated = await startSimulatedGateway();
  gateway = await startTestGateway();
});
afterAll(async () => {
  await simulated.stop();
  await gateway.stop();
});

const provider = () => createOpenAI({ baseURL: `${simulated.url}/v1`, apiKey: simulated.key });
const stateless = { providerOptions: { openai: { store: false } } };

const weather = (toolInputs: unknown[]) =>
  tool({
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

test('the AI SDK streams text with usage', async () => {
  const result = streamText({ model: provider()('sim-chat'), prompt: 'Say hello', ...stateless });
  expect((await result.text).length).toBeGreaterThan(10);
  expect((await result.usage).totalTokens).toBeGreaterThan(0);
  expect(await result.finishReason).toBe('stop');
});

test('the AI SDK gets reasoning separately from the text', async () => {
  const result = streamText({ model: provider()('sim-think'), prompt: 'Think about tea', ...stateless });
  await result.consumeStream();
  expect((await result.reasoningText)?.length).toBeGreaterThan(0);
});

test.each([
  ['stream', stateless],
  ['whole', stateless],
  ['stream', {}],
])('the AI SDK runs a tool in several steps: %s, %j', async (mode, kept) => {
  const toolInputs: unknown[] = [];
  const options = {
    model: provider()('sim-tools'),
    prompt: 'What is the weather in Oslo?',
    stopWhen: stepCountIs(3),
    tools: { get_weather: weather(toolInputs) },
    ...kept,
  };
  const text = mode === 'stream' ? await streamText(options).text : (await generateText(options)).text;
  expect(text).toContain('sunny');
  expect(toolInputs).toEqual([{ city: expect.any(String) }]);
});

test('the AI SDK gets an object of a schema', async () => {
  gateway.provider.respond(
    'plain',
    sse([chunk({ role: 'assistant', content: '{"city":"Oslo"}' }), finish('stop'), usage(3, 2), '[DONE]']),
  );
  const scripted = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
  const schema = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } });
  const output = Output.object({ schema });
  const result = await generateText({ model: scripted('plain'), prompt: 'Where?', output, ...stateless });
  expect(result.output).toEqual({ city: 'Oslo' });
});

test('the AI SDK reports the finish reason of a truncated answer', async () => {
  gateway.provider.respond(
    'other',
    sse([chunk({ role: 'assistant', content: 'So far' }), finish('length'), usage(3, 2), '[DONE]']),
  );
  const scripted = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
  const result = streamText({ model: scripted('other'), prompt: 'x', ...stateless });
  expect(await result.finishReason).toBe('length');
});

test('the AI SDK references earlier reasoning and messages by id, which is its default', async () => {
  const sent: string[] = [];
  const recordingFetch: typeof fetch = (address, init) => {
    sent.push(String(init?.body));
    return fetch(address, init);
  };
  const openai = createOpenAI({ baseURL: `${simulated.url}/v1`, apiKey: simulated.key, fetch: recordingFetch });
  const model = openai('sim-think');
  const first = await generateText({ model, prompt: 'Think about tea' });
  const user = (content: string) => ({ role: 'user' as const, content });
  const messages = [user('Think about tea'), ...first.response.messages, user('And about coffee?')];
  const second = await generateText({ model, messages });
  expect(sent[1]).toContain('item_reference');
  expect(second.text.length).toBeGreaterThan(0);
});
