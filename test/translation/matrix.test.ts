import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chunk, endings, json, type ScriptedReply, sse } from '../fakes/fake-provider.ts';
import type { TestGateway } from '../gateways/gateway.ts';
import { cases, type Json, type TranslationCase, usage } from './cases.ts';
import { sendChat, sendMessage } from './parsed-replies.ts';
import { chatReply, messagesFrames, messagesReply } from './scripted-replies.ts';
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
    test.each(cases)('$name', async (exchange) => {
      const result = await send(exchange, replyOf(exchange, format));
      expect(result).toMatchObject({
        status: 200,
        turn: expectedTurn(exchange, surface, format),
        usage: usageOf(surface),
      });
    });

    test.each(cases)('$name reaches the provider completely', async (exchange) => {
      await send(exchange, replyOf(exchange, format));
      const { body, headers } = await lastCall();
      expect(headers[format === 'chat' ? 'authorization' : 'x-api-key']).toMatch(/sk-upstream-canary$/);
      expect(normalised(body ?? {})).toEqual(normalised(expectedBody(exchange, surface, format, stream)));
    });

    test('an error of the provider before the answer keeps its status class', async () => {
      const refused = { error: { type: 'invalid_request_error', code: 'invalid_request_error', message: 'no' } };
      const result = await send(plain, json(400, { type: 'error', ...refused }));
      expect(result).toMatchObject({ status: 400, error: { type: 'upstream_error', code: 'invalid_request_error' } });
      const overloaded = await send(plain, json(500, { type: 'error', error: { type: 'api_error', message: 'no' } }));
      expect(overloaded).toMatchObject({ status: 502, error: { type: 'upstream_error' } });
    });

    test('an interrupted answer ends in an error, never in a normal end', async () => {
      const result = await send(plain, interrupted(format));
      if (!stream) return expect(result).toMatchObject({ status: 502, error: { type: 'upstream_error' } });
      expect(result).toMatchObject({ status: 200, text: 'Hello', error: { type: 'upstream_error' } });
    });

    async function send(exchange: TranslationCase, reply: ScriptedReply) {
      const id = `${format}-upstream`;
      gateway.provider.respond(id, reply);
      const body = { model: id, stream, ...exchange.request[surface] };
      return surface === 'chat' ? sendChat(gateway, body) : sendMessage(gateway, body);
    }
  },
);

const [plain] = cases as [TranslationCase];

function replyOf({ answer }: TranslationCase, format: Format): ScriptedReply {
  return format === 'chat' ? chatReply(answer.chat) : messagesReply(answer.messages);
}

function usageOf(surface: Format): Json {
  return surface === 'chat' ? { ...usage.chat, output_tokens: 0 } : usage.messages;
}

/** The same answer in the client's format, without the parts that only one of the formats can express. */
function expectedTurn({ name, answer }: TranslationCase, surface: Format, format: Format) {
  const [reasoning, ...rest] = answer.messages.content;
  if (surface === 'messages' && format === 'chat') {
    // The chat format has neither the matched stop sequence nor a signature of reasoning.
    if (name === 'stop sequence') return { ...answer.messages, stop_reason: 'end_turn', stop_sequence: null };
    if (name === 'thinking') return { ...answer.messages, content: [{ ...reasoning, signature: '' }, ...rest] };
  }
  if (surface === 'chat' && format === 'messages' && name === 'thinking') {
    const detail = { type: 'reasoning.text', text: reasoning?.['thinking'], signature: reasoning?.['signature'] };
    return { ...answer.chat, message: { ...answer.chat.message, reasoning_details: [detail] } };
  }
  return answer[surface];
}

/** The same request in the provider's format. A chat provider always gets `stream: true`. */
function expectedBody({ request }: TranslationCase, surface: Format, format: Format, stream: boolean): Json {
  const streaming = { stream: true, stream_options: { include_usage: true } };
  if (format === 'chat') return { model: 'chat-upstream', ...request.chat, ...streaming };
  return { model: 'messages-upstream', ...request.messages, stream: surface === 'chat' || stream };
}

/** Normalises a body: text as a string or as a list of one block, a default set or omitted. */
function normalised(body: Json): Json {
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

function interrupted(format: Format): ScriptedReply {
  if (format === 'chat')
    return sse([chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hello' }), endings.cut]);
  const [start = '', ping = '', block = ''] = messagesFrames(plain.answer.messages);
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } };
  const textDelta = `event: content_block_delta\ndata: ${JSON.stringify(delta)}\n\n`;
  return sse([...[start, ping, block, textDelta].map((raw) => ({ raw })), endings.cut]);
}
