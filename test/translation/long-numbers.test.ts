import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunk, finish, sse, usage } from '../fakes/fake-provider.ts';
import type { TestGateway } from '../gateways/gateway.ts';
import { messagesReply, responsesReply } from './scripted-replies.ts';
import { startTranslatingGateway } from './translating-gateway.ts';

/** An integer as databases use for ids. A double cannot represent it. */
const id = '1234567890123456789';
const json = `{"id":${id}}`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTranslatingGateway();
  const { provider } = gateway;
  const called = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: json } };
  provider.respond(
    'chat-upstream',
    sse([chunk({ tool_calls: [called] }), finish('tool_calls'), usage(3, 4), '[DONE]']),
  );
  const words = [{ type: 'text', text: 'Hi' }];
  provider.respond(
    'messages-upstream',
    messagesReply({ content: words, stop_reason: 'end_turn', stop_sequence: null }),
  );
  const content = [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }];
  const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
  provider.respond('responses-upstream', responsesReply([message], { status: 'completed' }));
});
afterAll(() => gateway.stop());

const paths = { chat: '/v1/chat/completions', messages: '/anthropic/v1/messages', responses: '/v1/responses' } as const;
type Client = keyof typeof paths;

/** A conversation with a tool call for that id, in each format. */
const conversations: Readonly<Record<Client, string>> = {
  chat: `"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"look","arguments":${JSON.stringify(json)}}}]},{"role":"tool","tool_call_id":"call_1","content":"ok"}]`,
  messages: `"max_tokens":50,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"look","input":${json}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"ok"}]}]`,
  responses: `"input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"call_1","name":"look","arguments":${JSON.stringify(json)}},{"type":"function_call_output","call_id":"call_1","output":${json}}]`,
};

async function sendAndCapture(client: Client, model: string, more = ''): Promise<string> {
  const body = `{"model":"${model}","stream":true,${conversations[client]}${more}}`;
  const reply = await gateway.postText(paths[client], body, { 'x-api-key': gateway.key });
  expect(reply.status, reply.text).toBe(200);
  return gateway.provider.calls.at(-1)?.text ?? '';
}

const clients = Object.keys(paths) as Client[];
const pairs = clients.flatMap((client) => clients.map((provider) => [client, provider] as const));

test.each(pairs)('the arguments of an earlier call keep every digit, from %s to %s', async (client, provider) => {
  const text = await sendAndCapture(client, `${provider}-upstream`);
  expect(text).toMatch(new RegExp(`id\\\\?":${id}}`));
});

test.each(clients)('an unknown field keeps every digit, from %s to a provider of the same format', async (client) => {
  const text = await sendAndCapture(client, `${client}-upstream`, `,"seed":${id},"odd":{"list":[-${id},1.5,{"a":7}]}`);
  expect(text).toContain(`"seed":${id}`);
  expect(text).toContain(`"odd":{"list":[-${id},1.5,{"a":7}]}`);
});

test('the schema of a tool keeps every digit', async () => {
  const parameters = `{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807}}}`;
  const tools = `,"tools":[{"type":"function","function":{"name":"look","parameters":${parameters}}}]`;
  expect(await sendAndCapture('chat', 'chat-upstream', tools)).toContain(parameters);
});

test.each(['chat', 'messages', 'responses'] as const)(
  '%s: a number that is too large for a known field is rejected',
  async (client) => {
    const fields = { chat: 'max_tokens', messages: 'top_k', responses: 'max_output_tokens' };
    const body = `{"model":"chat-upstream","stream":true,${conversations[client]},"${fields[client]}":${id}}`;
    const reply = await gateway.postText(paths[client], body, { 'x-api-key': gateway.key });
    expect([reply.status, reply.json.error.message]).toEqual([
      400,
      expect.stringContaining(`${fields[client]} must be an integer`),
    ]);
  },
);

test.each([true, false])('the arguments of a new call keep every digit, streamed: %s', async (stream) => {
  const tools = [{ name: 'look', input_schema: { type: 'object' } }];
  const messages = [{ role: 'user', content: 'x' }];
  const body = { model: 'chat-upstream', max_tokens: 50, messages, tools, stream };
  const reply = await gateway.post(paths.messages, body, { 'x-api-key': gateway.key });
  expect(reply.text).toMatch(new RegExp(`id\\\\?":${id}}`));
});
