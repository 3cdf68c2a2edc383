import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedReply } from '../fakes/fake-provider.ts';
import type { TestGateway } from '../gateways/gateway.ts';
import { cases, type TranslationCase, usage } from './cases.ts';
import { sendChat, sendMessage, sendResponse, withoutId } from './parsed-replies.ts';
import { answerInResponses, requestInResponses, responsesUsage } from './in-responses.ts';
import { chatReply, messagesReply, responsesReply } from './scripted-replies.ts';
import { startTranslatingGateway } from './translating-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTranslatingGateway();
});
afterAll(() => gateway.stop());

/** Without stop sequences, which the responses format does not have. */
const exchanges = cases.filter(({ name }) => name !== 'stop sequence');
const formats = ['chat', 'messages', 'responses'] as const;
type Format = (typeof formats)[number];

function replyOf({ answer }: TranslationCase, format: Format): ScriptedReply {
  if (format === 'chat') return chatReply(answer.chat);
  if (format === 'messages') return messagesReply(answer.messages);
  const { items, end } = answerInResponses(answer.chat);
  return responsesReply(items, end);
}

const cells = formats.flatMap((format) => [true, false].map((stream) => ({ format, stream })));

describe.each(cells)('a client of responses at a provider of $format, stream: $stream', ({ format, stream }) => {
  test.each(exchanges)('$name', async (exchange) => {
    const id = `${format}-upstream`;
    gateway.provider.respond(id, replyOf(exchange, format));
    const result = await sendResponse(gateway, { model: id, stream, ...requestInResponses(exchange) });
    const { items, end } = answerInResponses(exchange.answer.chat);
    const expected = items.map(withoutId);
    expect(result).toMatchObject({ status: 200, turn: { items: expected, end }, usage: responsesUsage, model: id });
  });
});

describe.each(['chat', 'messages'] as const)('a client of %s at a provider of responses', (surface) => {
  test.each(exchanges)('$name', async (exchange) => {
    const id = 'responses-upstream';
    gateway.provider.respond(id, replyOf(exchange, 'responses'));
    const body = { model: id, stream: true, ...exchange.request[surface] };
    const result = surface === 'chat' ? await sendChat(gateway, body) : await sendMessage(gateway, body);
    const expected = surface === 'chat' ? { ...usage.chat, output_tokens: 0 } : usage.messages;
    expect(result).toMatchObject({ status: 200, turn: unsigned(exchange, surface), usage: expected });
  });

  test.each(exchanges)('$name reaches the provider completely', async (exchange) => {
    const id = 'responses-upstream';
    gateway.provider.respond(id, replyOf(exchange, 'responses'));
    const calls = gateway.provider.calls.length;
    const body = { model: id, stream: true, ...exchange.request[surface] };
    await (surface === 'chat' ? sendChat(gateway, body) : sendMessage(gateway, body));
    const { tools, ...request } = requestInResponses(exchange);
    const strict = (tools as readonly object[] | undefined)?.map((tool) => ({ ...tool, strict: false }));
    expect(gateway.provider.calls[calls]?.body).toEqual({
      ...request,
      ...(strict && { tools: strict }),
      model: id,
      include: ['reasoning.encrypted_content'],
      stream: true,
    });
  });
});

/** This provider sends no signatures. */
function unsigned({ name, answer }: TranslationCase, surface: 'chat' | 'messages') {
  if (surface === 'chat' || name !== 'thinking') return answer[surface];
  const [reasoning, ...rest] = answer.messages.content;
  return { ...answer.messages, content: [{ ...reasoning, signature: '' }, ...rest] };
}
