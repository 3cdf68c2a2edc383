import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

let gateway: SimulatedGateway;
let provider: ReturnType<typeof createOpenAICompatible>;
beforeAll(async () => {
  gateway = await startSimulatedGateway();
  provider = createOpenAICompatible({
    name: 'gateway',
    baseURL: `${gateway.url}/v1`,
    apiKey: gateway.key,
    includeUsage: true,
  });
});
afterAll(() => gateway.stop());

test('the AI SDK streams text with usage', async () => {
  const result = streamText({ model: provider('sim-chat'), prompt: 'Say hello' });
  let text = '';
  for await (const part of result.textStream) text += part;
  expect(text.length).toBeGreaterThan(10);
  expect((await result.usage).totalTokens).toBeGreaterThan(0);
  expect(await result.finishReason).toBe('stop');
});

test('the AI SDK gets reasoning separately from the text', async () => {
  const result = streamText({ model: provider('sim-think'), prompt: 'Think about tea' });
  await result.consumeStream();
  expect((await result.reasoningText)?.length).toBeGreaterThan(0);
  expect((await result.text).length).toBeGreaterThan(0);
});

test('the AI SDK runs a tool in several steps', async () => {
  const toolInputs: unknown[] = [];
  const result = streamText({
    model: provider('sim-tools'),
    prompt: 'What is the weather in Oslo?',
    stopWhen: stepCountIs(3),
    tools: {
      get_weather: tool({
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
      }),
    },
  });
  expect(await result.text).toContain('sunny');
  expect(toolInputs).toEqual([{ city: expect.any(String) }]);
});

test('the AI SDK reports a refusal with its status', async () => {
  const generating = generateText({ model: provider('nope'), prompt: 'x', maxRetries: 0 });
  await expect(generating).rejects.toMatchObject({ statusCode: 403 });
});
