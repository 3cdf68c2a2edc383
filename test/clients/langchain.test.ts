import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

let gateway: SimulatedGateway;
beforeAll(async () => {
  gateway = await startSimulatedGateway();
});
afterAll(() => gateway.stop());

function chat(model: string) {
  return new ChatOpenAI({
    model,
    apiKey: gateway.key,
    streaming: true,
    maxRetries: 0,
    configuration: { baseURL: `${gateway.url}/v1` },
  });
}

test('LangChain streams', async () => {
  let text = '';
  for await (const part of await chat('sim-chat').stream('Say hello')) text += part.text;
  expect(text.length).toBeGreaterThan(10);
});

test('LangChain assembles a streamed tool call and continues with its result', async () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const model = chat('sim-tools').bindTools([{ type: 'function', function: { name: 'get_weather', parameters } }]);
  const question = new HumanMessage('What is the weather in Oslo?');
  const first = await assemble(model.stream([question]));
  expect(first.tool_calls).toEqual([
    expect.objectContaining({ name: 'get_weather', args: { city: expect.any(String) } }),
  ]);
  const result = new ToolMessage({ content: 'sunny, 21 degrees', tool_call_id: first.tool_calls![0]!.id! });
  const second = await assemble(model.stream([question, first, result]));
  expect(second.text).toContain('sunny');
});

/** The complete message of a stream. Not `invoke`: it downloads a tokenizer vocabulary. */
async function assemble(stream: Promise<AsyncIterable<AIMessageChunk>>): Promise<AIMessageChunk> {
  let message: AIMessageChunk | undefined;
  for await (const part of await stream) message = message ? message.concat(part) : part;
  if (!message) throw new Error('the stream was empty');
  return message;
}
