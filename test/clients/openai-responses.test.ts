import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { chunk, finish, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

let simulated: SimulatedGateway;
let gateway: TestGateway;
let client: OpenAI;
let scripted: OpenAI;
beforeAll(async () => {
  simulated = await startSimulatedGateway();
  gateway = await startTestGateway();
  client = new OpenAI({ baseURL: `${simulated.url}/v1`, apiKey: simulated.key, maxRetries: 0 });
  scripted = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(async () => {
  await simulated.stop();
  await gateway.stop();
});

const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

describe('the openai SDK', () => {
  test('gets a response without streaming', async () => {
    const response = await client.responses.create({ model: 'sim-chat', input: 'Say hello', store: false });
    expect(response.output_text.length).toBeGreaterThan(10);
    expect(response.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('streams events', async () => {
    const stream = await client.responses.create({ model: 'sim-think', input: 'Think', stream: true });
    const types = new Set<string>();
    for await (const event of stream) types.add(event.type);
    expect([...types]).toContain('response.reasoning_summary_text.delta');
    expect([...types].at(-1)).toBe('response.completed');
  });

  test('assembles a streamed response, and continues with the result of its tool', async () => {
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is the weather in Oslo?' }];
    const first = await client.responses.stream({ model: 'sim-tools', input, tools: [weather] }).finalResponse();
    const call = first.output.find((item) => item.type === 'function_call');
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city: expect.any(String) });
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'sunny, 21 degrees' };
    const more = [...input, ...(first.output as OpenAI.Responses.ResponseInput), output];
    const second = await client.responses.stream({ model: 'sim-tools', input: more, tools: [weather] }).finalResponse();
    expect(second.output_text).toContain('sunny');
  });

  test('parses an answer of a schema', async () => {
    gateway.provider.respond(
      'plain',
      sse([
        chunk({ role: 'assistant', content: '{"city":' }),
        chunk({ content: '"Oslo"}' }),
        finish('stop'),
        usage(3, 2),
        '[DONE]',
      ]),
    );
    const format = zodTextFormat(z.object({ city: z.string() }), 'place');
    const stream = scripted.responses.stream({ model: 'plain', input: 'Where?', text: { format } });
    expect((await stream.finalResponse()).output_parsed).toEqual({ city: 'Oslo' });
    const { body } = await gateway.provider.call('plain').received;
    expect(body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true } },
    });
    const parsed = await scripted.responses.parse({ model: 'plain', input: 'Where?', text: { format } });
    expect(parsed.output_parsed).toEqual({ city: 'Oslo' });
  });

  test('throws an error with the status of a refusal', async () => {
    await expect(client.responses.create({ model: 'absent', input: 'x' })).rejects.toMatchObject({ status: 403 });
    const lost = { model: 'sim-chat', input: 'x', previous_response_id: 'resp_lost' };
    await expect(client.responses.create(lost)).rejects.toMatchObject({ status: 400 });
  });

  test('throws if an answer is interrupted', async () => {
    gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'Hel' })]));
    const stream = await scripted.responses.create({ model: 'other', input: 'x', stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow(OpenAI.APIError);
  });
});
