import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { families } from 'chat-formats/markup/families.ts';
import { pieces } from '../../fixtures/dialects/markup/read-markup.ts';
import { isDeep } from '../../depth.ts';
import { chunk, finish, json, sse, usage } from '../../fakes/fake-replies.ts';
import { type ConfigChange, joined, model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { longTimerClock } from '../../long-timer-clock.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const change: ConfigChange = (base) => ({
    ...base,
    models: [
      ...families.map(({ id }) => model(id, { tool_format: id, thinking: true })),
      model('opened', { tool_format: 'glm47', thinking: true, thinks_first: true }),
      model('closed', { tool_format: 'glm47', thinking: true, thinks_first: false }),
    ],
  });
  // The clock leaves the tokenizer time to load, so that all answers are counted in the same way.
  gateway = await startTestGateway(change, { clock: longTimerClock });
});
afterAll(() => gateway.stop());

const words = 'Hello there, this is the answer.';

/** Sends these chunks as the provider, and expects the same content and reasoning on both surfaces. */
async function send(name: string, chunks: readonly object[]) {
  gateway.provider.respond(name, sse([...chunks, finish('stop'), usage(5, 5), '[DONE]']));
  const chat = await gateway.chat({ model: name });
  const messages = [{ role: 'user', content: 'hello' }];
  const headers = { 'x-api-key': gateway.key };
  const message = await gateway.post('/anthropic/v1/messages', { model: name, max_tokens: 100, messages }, headers);
  const blockText = (type: 'text' | 'thinking') =>
    message.json.content.map((block: Record<string, string>) => block[type] ?? '').join('');
  const onChat = { content: joined(chat), reasoning: joined(chat, 'reasoning_content') };
  expect({ content: blockText('text'), reasoning: blockText('thinking') }).toEqual(onChat);
  return onChat;
}

const inPieces = (text: string, size: number) => pieces(text, size).map((content) => chunk({ content }));

describe.each(families.map(({ id }) => id))('with tool_format %s', (family) => {
  test('text is content, in pieces of any size', async () => {
    for (const size of isDeep ? [1, 7, 100] : [1]) {
      expect(await send(family, inPieces(words, size))).toEqual({ content: words, reasoning: '' });
    }
  });

  test('text is content if the provider has its own reasoning field', async () => {
    const split = [chunk({ reasoning_content: 'hm' }), ...inPieces(words, 7)];
    expect(await send(family, split)).toEqual({ content: words, reasoning: 'hm' });
  });

  test('a JSON body is content', async () => {
    const message = { role: 'assistant', content: words, reasoning_content: null };
    gateway.provider.respond(family, json(200, { choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    expect(joined(await gateway.chat({ model: family }))).toBe(words);
  });
});

test('reasoning without an opening tag is separated from the answer after it', async () => {
  expect(await send('glm47', inPieces(`hm</think>${words}`, 3))).toEqual({ content: words, reasoning: 'hm' });
});

test('thinks_first decides whether the text begins with reasoning', async () => {
  expect(await send('opened', inPieces(`hm</think>${words}`, 3))).toEqual({ content: words, reasoning: 'hm' });
  expect((await send('opened', inPieces(words, 3))).content).toBe(words);
  expect(await send('closed', inPieces(words, 3))).toEqual({ content: words, reasoning: '' });
});

test('reasoning that is repeated as content is charged once', async () => {
  gateway.provider.respond('opened', sse([chunk({ content: words }), finish('stop'), '[DONE]']));
  gateway.provider.respond('closed', sse([chunk({ content: words }), finish('stop'), '[DONE]']));
  const counts = await Promise.all(
    ['opened', 'closed'].map(async (name) => (await gateway.chat({ model: name })).chunks.at(-1)?.usage),
  );
  expect(counts[0].completion_tokens).toBe(counts[1].completion_tokens);
});

test('an xlam call in a fenced block after text is a call', async () => {
  const call = '[{"name": "get_tide", "arguments": {"port": "Brest"}}]';
  gateway.provider.respond(
    'xlam',
    sse([...inPieces(`Sure:\n\`\`\`json\n${call}\n\`\`\``, 4), finish('stop'), '[DONE]']),
  );
  const tools = [{ type: 'function', function: { name: 'get_tide', parameters: { type: 'object' } } }];
  const reply = await gateway.chat({ model: 'xlam', tools });
  expect(joined(reply)).toBe('Sure:\n');
  const calls = reply.chunks.flatMap(({ choices }) => choices).flatMap(({ delta }) => delta.tool_calls ?? []);
  expect(calls[0].function.name).toBe('get_tide');
});

test('a harmony header to the user leaves no markup in the text', async () => {
  const text = `<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=user<|message|>${words}`;
  expect(await send('harmony', inPieces(text, 5))).toEqual({ content: words, reasoning: 'hm' });
  expect(await send('harmony', inPieces(`Sure. <|channel|>commentary<|message|>${words}<|end|>`, 5))).toEqual({
    content: `Sure. ${words}`,
    reasoning: '',
  });
});
