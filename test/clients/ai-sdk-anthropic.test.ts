import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

let gateway: SimulatedGateway;
let anthropic: ReturnType<typeof createAnthropic>;
beforeAll(async () => {
  gateway = await startSimulatedGateway();
  anthropic = createAnthropic({ baseURL: `${gateway.url}/anthropic/v1`, apiKey: gateway.key });
});
afterAll(() => gateway.stop());

const prompt = 'What is the weather in Oslo?';

test('the AI SDK streams over the messages surface', async () => {
  const { textStream, finishReason, usage } = streamText({ model: anthropic('sim-chat'), prompt });
  let text = '';
  for await (const piece of textStream) text += piece;
  expect(text.length).toBeGreaterThan(10);
  expect(await finishReason).toBe('stop');
  expect((await usage).outputTokens).toBeGreaterThan(0);
});

test('the AI SDK gets a text with its reasoning without streaming', async () => {
  const result = await generateText({ model: anthropic('sim-think'), prompt });
  expect(result.reasoningText?.length).toBeGreaterThan(0);
  expect(result.text.length).toBeGreaterThan(10);
});

test('the AI SDK runs a tool in a loop', async () => {
  const toolInputs: unknown[] = [];
  const result = await generateText({
    model: anthropic('sim-tools'),
    prompt,
    stopWhen: stepCountIs(3),
    tools: {
      get_weather: tool({
        description: 'The weather of a city',
        inputSchema: z.object({ city: z.string() }),
        execute: (given) => {
          toolInputs.push(given);
          return 'sunny, 21 degrees';
        },
      }),
    },
  });
  expect(toolInputs).toEqual([{ city: expect.any(String) }]);
  expect(result.text).toContain('sunny');
});
