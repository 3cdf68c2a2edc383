import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunk, finish, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { messageLife } from '../message-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const shared = 'get_the_weather_of_the_day_after_tomorrow_in_a_city_of_the_country';
const first = `mcp__first_server__${shared}`;
const second = `mcp__second_server__${shared}`;
const tool = (name: string) => ({ name, input_schema: { type: 'object' } });

interface Sent {
  readonly tools: readonly { readonly function: { readonly name: string } }[];
  readonly tool_choice: { readonly function: { readonly name: string } };
  readonly messages: readonly { readonly tool_calls?: readonly { readonly function: { readonly name: string } }[] }[];
}

test('long tool names are shortened for a provider of the chat format and restored for the client', async () => {
  const send = (stream: boolean) =>
    gateway.post(
      '/anthropic/v1/messages',
      {
        model: 'other',
        max_tokens: 100,
        stream,
        tools: [tool(first), tool(second), tool('short')],
        tool_choice: { type: 'tool', name: second },
        messages: [
          { role: 'user', content: 'weather?' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: second, input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }] },
        ],
      },
      { 'x-api-key': gateway.key },
    );
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'Hi' }), finish('stop'), '[DONE]']));
  await send(true);
  const sent = JSON.parse(gateway.provider.calls.at(-1)?.text ?? '{}') as Sent;
  const names = sent.tools.map(({ function: { name } }) => name);
  expect(new Set(names).size).toBe(3);
  expect(names[2]).toBe('short');
  for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
  expect(sent.tool_choice.function.name).toBe(names[1]);
  expect(sent.messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function.name))).toEqual([
    names[1],
  ]);

  const called = { index: 0, id: 'call_1', type: 'function', function: { name: names[1], arguments: '{}' } };
  gateway.provider.respond(
    'other',
    sse([chunk({ role: 'assistant', tool_calls: [called] }), finish('tool_calls'), usage(3, 2), '[DONE]']),
  );
  const { message } = messageLife((await send(true)).text);
  expect(message.content).toMatchObject([{ type: 'tool_use', name: second }]);
  expect((await send(false)).json.content).toMatchObject([{ type: 'tool_use', name: second }]);
});
