import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedReply } from '../fake-provider.ts';
import type { TestGateway } from '../gateway.ts';
import { cases, type TranslationCase, usage } from './cases.ts';
import { hearChat, hearMessages, hearResponses, withoutId } from './hear.ts';
import { answeredInResponses, askedInResponses, responsesUsage } from './in-responses.ts';
import { chatReply, messagesReply, responsesReply } from './speak.ts';
import { startTranslatingGateway } from './translating-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTranslatingGateway();
});
afterAll(() => gateway.stop());

/** Without stop sequences, which the responses format does not have. */
const told = cases.filter(({ name }) => name !== 'stop sequence');
const formats = ['chat', 'messages', 'responses'] as const;
type Format = (typeof formats)[number];

function replyOf({ answered }: TranslationCase, format: Format): ScriptedReply {
  if (format === 'chat') return chatReply(answered.chat);
  if (format === 'messages') return messagesReply(answered.messages);
  const { items, end } = answeredInResponses(answered.chat);
  return responsesReply(items, end);
}

const cells = formats.flatMap((format) => [true, false].map((stream) => ({ format, stream })));

describe.each(cells)('a client of responses at a provider of $format, stream: $stream', ({ format, stream }) => {
  test.each(told)('$name', async (exchange) => {
    const id = `${format}-upstream`;
    gateway.provider.respond(id, replyOf(exchange, format));
    const heard = await hearResponses(gateway, { model: id, stream, ...askedInResponses(exchange) });
    const { items, end } = answeredInResponses(exchange.answered.chat);
    const expected = items.map(withoutId);
    expect(heard).toMatchObject({ status: 200, turn: { items: expected, end }, usage: responsesUsage, model: id });
  });
});

describe.each(['chat', 'messages'] as const)('a client of %s at a provider of responses', (surface) => {
  test.each(told)('$name', async (exchange) => {
    const id = 'responses-upstream';
    gateway.provider.respond(id, replyOf(exchange, 'responses'));
    const body = { model: id, stream: true, ...exchange.asked[surface] };
    const heard = surface === 'chat' ? await hearChat(gateway, body) : await hearMessages(gateway, body);
    const expected = surface === 'chat' ? { ...usage.chat, output_tokens: 0 } : usage.messages;
    expect(heard).toMatchObject({ status: 200, turn: unsigned(exchange, surface), usage: expected });
  });

  test.each(told)('$name reaches the provider completely', async (exchange) => {
    const id = 'responses-upstream';
    gateway.provider.respond(id, replyOf(exchange, 'responses'));
    const calls = gateway.provider.calls.length;
    const body = { model: id, stream: true, ...exchange.asked[surface] };
    await (surface === 'chat' ? hearChat(gateway, body) : hearMessages(gateway, body));
    const { tools, ...asked } = askedInResponses(exchange);
    const strict = (tools as readonly object[] | undefined)?.map((tool) => ({ ...tool, strict: false }));
    expect(gateway.provider.calls[calls]?.body).toEqual({
      ...asked,
      ...(strict && { tools: strict }),
      model: id,
      include: ['reasoning.encrypted_content'],
      stream: true,
    });
  });
});

/** This provider sends no signatures. */
function unsigned({ name, answered }: TranslationCase, surface: 'chat' | 'messages') {
  if (surface === 'chat' || name !== 'thinking') return answered[surface];
  const [thought, ...rest] = answered.messages.content;
  return { ...answered.messages, content: [{ ...thought, signature: '' }, ...rest] };
}
