import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

let gateway: SimulatedGateway;
beforeAll(async () => {
  gateway = await startSimulatedGateway();
});
afterAll(() => gateway.stop());

const chat = (model: string) =>
  new ChatAnthropic({
    model,
    apiKey: gateway.key,
    anthropicApiUrl: `${gateway.url}/anthropic`,
    maxTokens: 1000,
    maxRetries: 0,
  });

test('LangChain gets a message over the messages surface without streaming', async () => {
  const reply = await chat('sim-chat').invoke('Hello');
  expect(String(reply.content).length).toBeGreaterThan(10);
  expect(reply.usage_metadata?.output_tokens).toBeGreaterThan(0);
});

test('LangChain streams', async () => {
  let text = '';
  for await (const chunk of await chat('sim-chat').stream('Hello')) text += chunk.text;
  expect(text.length).toBeGreaterThan(10);
});

test('LangChain calls a tool and continues with its result', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const model = chat('sim-tools').bindTools([
    { name: 'get_weather', description: 'The weather', input_schema: schema },
  ]);
  const question = new HumanMessage('What is the weather in Oslo?');
  const called = await model.invoke([question]);
  expect(called.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: expect.any(String) } }]);
  const result = new ToolMessage({ content: 'sunny, 21 degrees', tool_call_id: called.tool_calls?.[0]?.id ?? '' });
  const final = await model.invoke([question, called, result]);
  expect(final.text).toContain('sunny');
});
