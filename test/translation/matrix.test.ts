import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chunk, endings, json, type ScriptedReply, sse } from '../fake-provider.ts';
import type { TestGateway } from '../gateway.ts';
import { cases, type Json, type TranslationCase, usage } from './cases.ts';
import { hearChat, hearMessages } from './hear.ts';
import { chatReply, messagesFrames, messagesReply } from './speak.ts';
import { startTranslatingGateway } from './translating-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTranslatingGateway();
});
afterAll(() => gateway.stop());

const surfaces = ['chat', 'messages'] as const;
const formats = ['chat', 'messages'] as const;
type Format = (typeof formats)[number];

const cells = surfaces.flatMap((surface) =>
  formats.flatMap((format) => [true, false].map((stream) => ({ surface, format, stream }))),
);

describe.each(cells)(
  'a client of $surface at a provider of $format, stream: $stream',
  ({ surface, format, stream }) => {
    test.each(cases)('$name', async (told) => {
      const heard = await say(told, replyOf(told, format));
      expect(heard).toMatchObject({ status: 200, turn: expectedTurn(told, surface, format), usage: usageOf(surface) });
    });

    test.each(cases)('$name reaches the provider completely', async (told) => {
      await say(told, replyOf(told, format));
      const { body, headers } = await lastCall();
      expect(headers[format === 'chat' ? 'authorization' : 'x-api-key']).toMatch(/sk-upstream-canary$/);
      expect(settled(body ?? {})).toEqual(settled(expectedBody(told, surface, format, stream)));
    });

    test('an error of the provider before the answer keeps its status class', async () => {
      const refused = { error: { type: 'invalid_request_error', code: 'invalid_request_error', message: 'no' } };
      const heard = await say(plain, json(400, { type: 'error', ...refused }));
      expect(heard).toMatchObject({ status: 400, error: { type: 'upstream_error', code: 'invalid_request_error' } });
      const overloaded = await say(plain, json(500, { type: 'error', error: { type: 'api_error', message: 'no' } }));
      expect(overloaded).toMatchObject({ status: 502, error: { type: 'upstream_error' } });
    });

    test('an interrupted answer ends in an error, never in a normal end', async () => {
      const heard = await say(plain, brokenOff(format));
      if (!stream) return expect(heard).toMatchObject({ status: 502, error: { type: 'upstream_error' } });
      expect(heard).toMatchObject({ status: 200, text: 'Hello', error: { type: 'upstream_error' } });
    });

    async function say(told: TranslationCase, reply: ScriptedReply) {
      const id = `${format}-upstream`;
      gateway.provider.respond(id, reply);
      const body = { model: id, stream, ...told.asked[surface] };
      return surface === 'chat' ? hearChat(gateway, body) : hearMessages(gateway, body);
    }
  },
);

const [plain] = cases as [TranslationCase];

function replyOf({ answered }: TranslationCase, format: Format): ScriptedReply {
  return format === 'chat' ? chatReply(answered.chat) : messagesReply(answered.messages);
}

function usageOf(surface: Format): Json {
  return surface === 'chat' ? { ...usage.chat, output_tokens: 0 } : usage.messages;
}

/** The same answer in the client's format, without the parts that only one of the formats can express. */
function expectedTurn({ name, answered }: TranslationCase, surface: Format, format: Format) {
  const [thought, ...rest] = answered.messages.content;
  if (surface === 'messages' && format === 'chat') {
    // The chat format has neither the matched stop sequence nor a signature of reasoning.
    if (name === 'stop sequence') return { ...answered.messages, stop_reason: 'end_turn', stop_sequence: null };
    if (name === 'thinking') return { ...answered.messages, content: [{ ...thought, signature: '' }, ...rest] };
  }
  if (surface === 'chat' && format === 'messages' && name === 'thinking') {
    const proof = { type: 'reasoning.text', text: thought?.['thinking'], signature: thought?.['signature'] };
    return { ...answered.chat, message: { ...answered.chat.message, reasoning_details: [proof] } };
  }
  return answered[surface];
}

/** The same request in the provider's format. A chat provider always gets `stream: true`. */
function expectedBody({ asked }: TranslationCase, surface: Format, format: Format, stream: boolean): Json {
  const streaming = { stream: true, stream_options: { include_usage: true } };
  if (format === 'chat') return { model: 'chat-upstream', ...asked.chat, ...streaming };
  return { model: 'messages-upstream', ...asked.messages, stream: surface === 'chat' || stream };
}

/** Normalises a body: text as a string or as a list of one block, a default set or omitted. */
function settled(body: Json): Json {
  const { system, messages, thinking, ...rest } = body;
  return {
    ...rest,
    ...(system !== undefined && { system: blocks(system) }),
    ...(thinking !== undefined && { thinking }),
    messages: (messages as Json[]).map((message) => ({ ...message, content: blocks(message['content']) })),
  };
}

function blocks(content: unknown): unknown {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return content;
  return content.map((block: Json) =>
    block['type'] === 'tool_result' ? { ...block, content: blocks(block['content']) } : block,
  );
}

async function lastCall() {
  const call = gateway.provider.calls.at(-1);
  if (!call) throw new Error('the provider got no call');
  return call;
}

function brokenOff(format: Format): ScriptedReply {
  if (format === 'chat')
    return sse([chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hello' }), endings.cut]);
  const [start = '', ping = '', block = ''] = messagesFrames(plain.answered.messages);
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } };
  const said = `event: content_block_delta\ndata: ${JSON.stringify(delta)}\n\n`;
  return sse([...[start, ping, block, said].map((raw) => ({ raw })), endings.cut]);
}
