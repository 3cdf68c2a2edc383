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

const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }];
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

test('the openai SDK streams', async () => {
  const stream = await client.chat.completions.create({ model: 'sim-chat', messages, stream: true });
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  expect(text.length).toBeGreaterThan(10);
});

test('the openai SDK’s stream helper assembles an answer', async () => {
  const completion = await client.chat.completions.stream({ model: 'sim-chat', messages }).finalChatCompletion();
  expect(completion.choices[0]?.message.content?.length).toBeGreaterThan(10);
  expect(completion.choices[0]?.finish_reason).toBe('stop');
});

test('the openai SDK gets usage and logprobs', async () => {
  const stream = client.chat.completions.stream({
    model: 'sim-logprobs',
    messages,
    logprobs: true,
    top_logprobs: 2,
    stream_options: { include_usage: true },
  });
  const completion = await stream.finalChatCompletion();
  expect(completion.usage?.total_tokens).toBeGreaterThan(0);
  expect(completion.choices[0]?.logprobs?.content?.[0]?.top_logprobs).toHaveLength(2);
});

test('the openai SDK runs a tool and gets the final answer', async () => {
  const toolInputs: unknown[] = [];
  const runner = client.chat.completions.runTools({
    model: 'sim-tools',
    messages,
    stream: true,
    tools: [
      {
        type: 'function',
        function: {
          ...weather.function,
          parse: JSON.parse,
          function: (given: unknown) => {
            toolInputs.push(given);
            return 'sunny, 21 degrees';
          },
        },
      },
    ],
  });
  const final = await runner.finalContent();
  expect(toolInputs).toEqual([{ city: expect.any(String) }]);
  expect(final).toContain('sunny');
});

test('the openai SDK lists the models', async () => {
  const ids: string[] = [];
  for await (const model of client.models.list()) ids.push(model.id);
  expect(ids).toContain('sim-chat-2026-01-01');
});

test('the openai SDK finds a model by its id and by its alias', async () => {
  for (const name of ['sim-chat-2026-01-01', 'sim-chat']) {
    expect(await client.models.retrieve(name)).toMatchObject({ id: 'sim-chat-2026-01-01', object: 'model' });
  }
  await expect(client.models.retrieve('no/such')).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
});

test('the openai SDK streams legacy completions', async () => {
  const stream = await client.completions.create({ model: 'sim-chat', prompt: 'Once upon a time', stream: true });
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
  expect(text.length).toBeGreaterThan(0);
});

test('the openai SDK throws the right class for each error', async () => {
  const stranger = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'sk-stranger', maxRetries: 0 });
  const send = (api: OpenAI, body: object) =>
    api.chat.completions.create({
      model: 'sim-chat',
      messages,
      stream: true,
      ...body,
    } as OpenAI.ChatCompletionCreateParamsStreaming);
  await expect(send(stranger, {})).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  await expect(send(client, { model: 'nope' })).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
  await expect(send(client, { temperature: 3 })).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
});

test('the openai SDK gets embeddings in its default encoding', async () => {
  const { data, usage } = await client.embeddings.create({ model: 'sim-chat', input: ['a fair queue', 'a fair line'] });
  expect(data.map(({ embedding }) => embedding.length)).toEqual([64, 64]);
  expect(Math.hypot(...data[0]!.embedding)).toBeCloseTo(1, 5);
  expect(usage.prompt_tokens).toBeGreaterThan(2);
});

test('the openai SDK uses moderations, images, speech and transcriptions', async () => {
  expect((await client.moderations.create({ model: 'sim-chat', input: 'hello' })).results[0]?.flagged).toBe(false);
  expect((await client.images.generate({ model: 'sim-chat', prompt: 'a gate', n: 2 })).data).toHaveLength(2);
  const speech = await client.audio.speech.create({ model: 'sim-chat', input: 'Good morning', voice: 'alloy' });
  const sound = Buffer.from(await speech.arrayBuffer());
  expect(sound.toString('latin1', 0, 4)).toBe('RIFF');
  const file = await OpenAI.toFile(sound, 'morning.wav');
  expect((await client.audio.transcriptions.create({ model: 'sim-chat', file })).text).toContain('transcript');
});
