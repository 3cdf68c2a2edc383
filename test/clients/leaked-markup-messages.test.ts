import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examples, tools } from '../fixtures/dialects/markup/examples.ts';
import { pieces } from '../fixtures/dialects/markup/read-markup.ts';
import { answer, chunk, finish, sse, usage } from '../fakes/fake-replies.ts';
import { model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

let gateway: TestGateway;
let client: Anthropic;
beforeAll(async () => {
  const families = [...new Set(examples.map(({ family }) => family))];
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [
      ...families.flatMap((family) => [
        model(family, { tool_format: family }),
        model(`${family}-thinks`, { tool_format: family, thinking: true }),
      ]),
      model('any', { tool_format: 'auto' }),
    ],
  }));
  client = new Anthropic({ baseURL: `${gateway.url}/anthropic`, apiKey: gateway.key, authToken: null, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const offered = Object.entries(tools).map(([name, parameters]) => ({
  name,
  input_schema: { ...parameters, type: 'object' as const },
}));

function words({ content }: Anthropic.Message, type: 'text' | 'thinking'): string {
  const texts = content.map((block) => {
    if (block.type === 'text' && type === 'text') return block.text;
    return block.type === 'thinking' && type === 'thinking' ? block.thinking : '';
  });
  return texts.join('');
}

test.each(examples)('$name reaches the Anthropic SDK as blocks', async (example) => {
  const name = example.startsInReasoning ? `${example.family}-thinks` : example.family;
  const textChunks = pieces(example.raw, 5).map((content) => chunk({ content }));
  gateway.provider.respond(name, sse([...textChunks, finish(example.finish ?? 'stop'), usage(5, 5), '[DONE]']));
  const message = await client.messages
    .stream({
      model: name,
      max_tokens: 1000,
      messages: [{ role: 'user', content: 'Go.' }],
      ...(example.offersTools && { tools: offered }),
    })
    .finalMessage();
  const shown = (text: string) => (example.trim ? text.trim() : text);
  expect(shown(words(message, 'text'))).toBe(shown(example.content));
  expect(shown(words(message, 'thinking'))).toBe(shown(example.reasoning));
  const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  expect(calls.map((call) => ({ name: call.name, arguments: call.input }))).toEqual(
    example.calls.map((call) => ({ name: call.name, arguments: call.arguments })),
  );
  if (example.expectedFinish === 'tool_calls') expect(message.stop_reason).toBe('tool_use');
});

test('the Anthropic SDK runs a tool that was called in the text', async () => {
  const hermes = '<tool_call>\n{"name": "get_tide", "arguments": {"port": "Brest"}}\n</tool_call>';
  gateway.provider.respond(
    'any',
    sse([...pieces(hermes, 3).map((content) => chunk({ content })), finish('stop'), '[DONE]']),
  );
  const toolInputs: unknown[] = [];
  const final = await client.beta.messages.toolRunner({
    model: 'any',
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'When is high water in Brest?' }],
    tools: [
      {
        name: 'get_tide',
        description: 'The tide of a port',
        input_schema: { type: 'object', properties: { port: { type: 'string' } } },
        parse: (given: unknown) => given,
        run: (given: unknown) => {
          toolInputs.push(given);
          gateway.provider.respond('any', answer('At 14:10.'));
          return 'high water 14:10';
        },
      },
    ],
  });
  expect(toolInputs).toEqual([{ port: 'Brest' }]);
  expect(JSON.stringify(final.content)).toContain('At 14:10.');
});
