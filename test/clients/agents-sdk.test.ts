import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type SimulatedGateway, startSimulatedGateway } from '../gateways/simulated-gateway.ts';

let simulated: SimulatedGateway;
let runner: Runner;
beforeAll(async () => {
  simulated = await startSimulatedGateway();
  const openAIClient = new OpenAI({ baseURL: `${simulated.url}/v1`, apiKey: simulated.key, maxRetries: 0 });
  runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: openAIClient as never, useResponses: true }),
    tracingDisabled: true,
  });
});
afterAll(() => simulated.stop());

const toolInputs: string[] = [];
const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => {
    toolInputs.push(city);
    return 'sunny, 21 degrees';
  },
});

test('an agent calls its tool and finishes', async () => {
  toolInputs.length = 0;
  const agent = new Agent({ name: 'Weatherman', instructions: 'Be brief.', model: 'sim-tools', tools: [weather] });
  const result = await runner.run(agent, 'What is the weather in Oslo?');
  expect(toolInputs).toHaveLength(1);
  expect(result.finalOutput).toContain('sunny');
});

test('a streaming agent calls its tool, finishes, and continues with another turn', async () => {
  toolInputs.length = 0;
  const agent = new Agent({ name: 'Weatherman', instructions: 'Be brief.', model: 'sim-tools', tools: [weather] });
  const result = await runner.run(agent, 'What is the weather in Bergen?', { stream: true });
  for await (const _ of result);
  await result.completed;
  expect(toolInputs).toHaveLength(1);
  expect(result.finalOutput).toContain('sunny');
  const next = await runner.run(agent, [...result.history, { role: 'user', content: 'Thank you. Anything else?' }]);
  expect(next.finalOutput?.length).toBeGreaterThan(0);
});

test('an agent continues a stored response', async () => {
  const agent = new Agent({ name: 'Talker', model: 'sim-chat' });
  const first = await runner.run(agent, 'Say hello');
  const previousResponseId = first.lastResponseId;
  expect(previousResponseId).toMatch(/^resp_/);
  const second = await runner.run(agent, 'And again', { previousResponseId: previousResponseId ?? '' });
  expect(second.finalOutput?.length).toBeGreaterThan(0);
});
