import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { json, type ScriptedReply } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { messageLife } from '../message-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
afterEach(() => expectAtRest(gateway.gateway));

/** Larger than any buffer of the gateway for one tool call. */
const large = JSON.stringify({ text: 'x'.repeat(9 * 1024 * 1024) });
const call = (id: string, text: string) => ({ id, type: 'function', function: { name: 'write', arguments: text } });

/** A provider reply with one body although the request asked for a stream. */
function singleBody(...calls: readonly object[]): ScriptedReply {
  return json(200, {
    id: 'a',
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
}

const request = { model: 'other', max_tokens: 100, messages: [{ role: 'user', content: 'write' }] };
const post = (more: object) =>
  gateway.post('/anthropic/v1/messages', { ...request, ...more }, { 'x-api-key': gateway.key });

test.each<[string, ScriptedReply]>([
  ['alone', singleBody(call('call_1', large))],
  // The first call never completes its arguments, so the second has to wait for the end.
  ['after one without arguments', singleBody(call('call_0', ''), call('call_1', large))],
  ['after one with incomplete arguments', singleBody(call('call_0', '{"a": '), call('call_1', large))],
])('a tool call of 9 MB %s arrives complete on the messages surface', async (_position, reply) => {
  gateway.provider.respond('other', reply);
  const { message } = messageLife((await post({ stream: true })).text);
  expect(message.content.at(-1)?.['input'] === large).toBe(true);
  const body = await post({});
  expect(JSON.stringify(body.json.content.at(-1).input) === large).toBe(true);
});

test('a tool call of 9 MB arrives complete on the chat surface', async () => {
  gateway.provider.respond('other', singleBody(call('call_0', ''), call('call_1', large)));
  const reply = await gateway.chat({ model: 'other' });
  const deltas = reply.chunks.flatMap(({ choices }) => choices).flatMap(({ delta }) => delta.tool_calls ?? []);
  const pieces = deltas.filter(({ index }) => index === 1).map((delta) => delta.function.arguments);
  expect(pieces.join('') === large).toBe(true);
  expect(reply.frames.at(-1)).toBe('[DONE]');
});
