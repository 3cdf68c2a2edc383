import { afterAll, beforeAll, expect, test } from 'vitest';
import { answer, chunk, finish, sse, usage } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { responseKeys, responseLife } from '../../response-life.ts';

// The cases of the compliance test of the format, as a client sends them.

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

async function respond(body: object) {
  const { status, json } = await gateway.post('/v1/responses', { model: 'other', ...body });
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(expect.arrayContaining(responseKeys));
  expect(json).toMatchObject({ object: 'response', status: 'completed', error: null });
  expect(json.output.length).toBeGreaterThan(0);
  return json;
}

/** The body of the last call at the provider. */
function sentUpstream(): unknown {
  return gateway.provider.calls.at(-1)?.body;
}

const message = (role: string, content: unknown) => ({ type: 'message', role, content });
const text = (content: string) => ({ type: 'input_text', text: content });
const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a place',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const call = {
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"location":"Oslo"}' },
};
const callReply = sse([chunk({ tool_calls: [call] }), finish('tool_calls'), usage(5, 5), '[DONE]']);

test('a basic response', async () => {
  gateway.provider.respond('other', answer('Hello'));
  const { output, usage: used } = await respond({ input: [message('user', 'Say hello in exactly one word.')] });
  expect(output).toMatchObject([{ type: 'message', role: 'assistant', content: [{ text: 'Hello' }] }]);
  expect(used.total_tokens).toBe(used.input_tokens + used.output_tokens);
});

test('a streamed response', async () => {
  gateway.provider.respond('other', answer('1, 2, 3'));
  const body = { model: 'other', input: [message('user', 'Count.')], stream: true };
  const { response } = responseLife((await gateway.post('/v1/responses', body)).text);
  expect(response).toMatchObject({ status: 'completed', output: [{ content: [{ text: '1, 2, 3' }] }] });
});

test('a system prompt', async () => {
  gateway.provider.respond('other', answer('Ahoy'));
  await respond({ input: [message('system', 'You are a pirate.'), message('user', 'Say hello.')] });
  expect(sentUpstream()).toMatchObject({ messages: [{ role: 'system' }, { role: 'user' }] });
});

test('a tool call, as JSON and streamed', async () => {
  gateway.provider.respond('other', callReply, callReply);
  const body = { input: [message('user', 'What is the weather in Oslo?')], tools: [weather] };
  const item = { type: 'function_call', name: 'get_weather', arguments: '{"location":"Oslo"}', status: 'completed' };
  expect((await respond(body)).output).toMatchObject([item]);
  const reply = await gateway.post('/v1/responses', { model: 'other', stream: true, ...body });
  expect(responseLife(reply.text).response.output).toMatchObject([item]);
});

test('a tool call and its result', async () => {
  gateway.provider.respond('other', answer('It is sunny.'));
  await respond({
    input: [
      message('user', 'What is the weather in Oslo?'),
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"location":"Oslo"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
    ],
    tools: [weather],
  });
  expect(sentUpstream()).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_1' }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ],
  });
});

test('an image', async () => {
  gateway.provider.respond('other', answer('A red square.'));
  const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' };
  await respond({ input: [message('user', [text('What is this?'), image])] });
  expect(sentUpstream()).toMatchObject({
    messages: [{ content: [{ type: 'text' }, { type: 'image_url', image_url: { url: image.image_url } }] }],
  });
});

test('a file', async () => {
  gateway.provider.respond('other', answer('A letter.'));
  const file = { type: 'input_file', filename: 'letter.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' };
  await respond({ input: [message('user', [text('What is this?'), file])] });
  expect(sentUpstream()).toMatchObject({
    messages: [{ content: [{ type: 'text' }, { type: 'file', file: { filename: 'letter.pdf' } }] }],
  });
});

test('several turns', async () => {
  gateway.provider.respond('other', answer('Your name is Ada.'));
  await respond({
    input: [
      message('user', 'My name is Ada.'),
      message('assistant', [{ type: 'output_text', text: 'Hello Ada.' }]),
      message('user', 'What is my name?'),
    ],
  });
  const { messages } = sentUpstream() as { messages: readonly { role: string }[] };
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});

test('a response that continues an earlier one', async () => {
  gateway.provider.respond('other', answer('Hello Ada.'), answer('Your name is Ada.'));
  const { id } = await respond({ input: 'My name is Ada.' });
  const { previous_response_id: previous } = await respond({ input: 'What is my name?', previous_response_id: id });
  expect(previous).toBe(id);
  const { messages } = sentUpstream() as { messages: readonly { role: string }[] };
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});
