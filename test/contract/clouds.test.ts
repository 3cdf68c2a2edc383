import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awsChunk, awsException } from '../clouds/aws-event-stream.ts';
import { type Cloud, expected, testClouds } from '../clouds/clouds.ts';
import { json } from '../fakes/fake-provider.ts';
import {
  type ChatReply,
  type GatewayReply,
  joined,
  model,
  patientTimeouts,
  startTestGateway,
  type TestGateway,
} from '../gateways/gateway.ts';

const parameters = { type: 'object', properties: { at: { type: 'string' } } };
const messages = [{ role: 'user', content: 'hello' }];

/** What a client reads from an answer. */
type Read = typeof expected;

interface Surface {
  send(gateway: TestGateway, model: string): Promise<ChatReply>;
  read(reply: ChatReply): Read;
}

/** All data payloads, whatever their event. */
function payloadsOf(reply: GatewayReply): ChatReply {
  const frames = [...reply.text.matchAll(/^data: (.*)$/gm)].map(([, payload = '']) => payload);
  const chunks = frames.filter((frame) => frame !== '[DONE]').map((frame) => JSON.parse(frame));
  return { ...reply, frames, chunks };
}

const surfaces = {
  chat: {
    send: (gateway, name) =>
      gateway.chat({
        model: name,
        max_tokens: 500,
        tools: [{ type: 'function', function: { name: 'look', parameters } }],
      }),
    read(reply) {
      const calls = reply.chunks.flatMap(({ choices }) => choices).flatMap(({ delta }) => delta.tool_calls ?? []);
      const { usage } = reply.chunks.at(-1);
      return {
        text: joined(reply),
        tool: calls[0]?.function.name,
        arguments: calls.map(({ function: called }) => called.arguments ?? '').join(''),
        prompt: usage.prompt_tokens,
        completion: usage.completion_tokens,
      };
    },
  },
  messages: {
    send: async (gateway, name) => {
      const tools = [{ name: 'look', input_schema: parameters }];
      const body = { model: name, max_tokens: 500, stream: true, messages, tools };
      return payloadsOf(await gateway.post('/anthropic/v1/messages', body, { 'x-api-key': gateway.key }));
    },
    read(reply) {
      const all = (field: string) => reply.chunks.map(({ delta }) => delta?.[field] ?? '').join('');
      const { usage } = reply.chunks.findLast(({ type }) => type === 'message_delta');
      const started = reply.chunks.find(({ content_block: block }) => block?.type === 'tool_use');
      return {
        text: all('text'),
        tool: started.content_block.name,
        arguments: all('partial_json'),
        prompt: usage.input_tokens ?? reply.chunks[0].message.usage.input_tokens,
        completion: usage.output_tokens,
      };
    },
  },
  responses: {
    send: async (gateway, name) => {
      const tools = [{ type: 'function', name: 'look', parameters, strict: false }];
      const body = { model: name, max_output_tokens: 500, stream: true, input: 'hello', tools };
      return payloadsOf(await gateway.post('/v1/responses', body));
    },
    read(reply) {
      const { response } = reply.chunks.findLast(({ type }) => type === 'response.completed');
      const called = response.output.find(({ type }: { type: string }) => type === 'function_call');
      const said = response.output.find(({ type }: { type: string }) => type === 'message');
      return {
        text: said.content[0].text,
        tool: called.name,
        arguments: called.arguments,
        prompt: response.usage.input_tokens,
        completion: response.usage.output_tokens,
      };
    },
  },
} satisfies Readonly<Record<string, Surface>>;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: testClouds.map(({ entry }, index) => ({
      name: `cloud-${index}`,
      base_url: provider.url,
      timeouts: patientTimeouts,
      // The responses format has tests of its own.
      quirks: { responses: false },
      ...entry(provider.url),
    })),
    models: testClouds.map((cloud, index) =>
      model(nameOf(cloud), { routes: [{ upstream: `cloud-${index}`, model: cloud.model }] }),
    ),
  }));
});
afterAll(() => gateway.stop());

function nameOf({ name }: Cloud): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

describe.each(testClouds.map((cloud) => [cloud.name, cloud] as const))('%s', (_name, cloud) => {
  beforeAll(() => {
    for (const [key, reply] of Object.entries(cloud.others ?? {})) gateway.provider.respond(key, reply);
  });

  test.each(Object.entries(surfaces))(
    'answers clients of %s with text, a tool call and usage',
    async (_surface, { send, read }) => {
      gateway.provider.respond(cloud.key, cloud.reply);
      const reply = await send(gateway, nameOf(cloud));
      expect(reply.status, reply.text).toBe(200);
      expect(read(reply)).toEqual(expected);
      const sent = gateway.provider.calls.at(-1)!;
      expect([sent.method, sent.path]).toEqual(['POST', `/v1${cloud.path}`]);
      await cloud.check(sent);
    },
  );

  test('refuses a request, and the client gets no word of the provider', async () => {
    gateway.provider.respond(cloud.key, json(400, { message: 'the secret reason', error: { message: 'the secret' } }));
    const reply = await surfaces.chat.send(gateway, nameOf(cloud));
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json.error.type).toBe('upstream_error');
    expect(reply.text).not.toContain('secret');
  });
});

test('an exception in the stream of Bedrock ends the answer with an error', async () => {
  const cloud = testClouds.find(({ name }) => name === 'Claude on Bedrock')!;
  const start = { type: 'message_start', message: { id: 'm', role: 'assistant', usage: { input_tokens: 3 } } };
  const word = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } };
  gateway.provider.respond(cloud.key, async (writer) => {
    writer.head(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    await writer.body(Buffer.concat([start, word].map(awsChunk)));
    await writer.body(awsException('modelStreamErrorException', { message: 'the model broke' }));
    writer.end();
  });
  const reply = payloadsOf(await surfaces.chat.send(gateway, nameOf(cloud)));
  expect(reply.text).toContain('Hel');
  expect(reply.chunks.at(-1).error.type).toBe('upstream_error');
  expect(reply.frames).not.toContain('[DONE]');
});
