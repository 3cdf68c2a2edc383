import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { json } from '../fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
afterEach(() => expectAtRest(gateway.gateway));

/** More than any part of the gateway keeps of one tool call. */
const argumentsText = JSON.stringify({ text: 'x'.repeat(9 * 1024 * 1024) });
const call = (id: string, text: string) => ({ id, type: 'function', function: { name: 'write', arguments: text } });
/** The first call never completes its arguments, so that the second has to wait for the end. */
const calls = [call('call_1', ''), call('call_2', argumentsText)];
const wholeBody = json(200, {
  id: 'a',
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

test.each([
  ['as a stream', true],
  ['in one body', false],
])(
  'a tool call of 9 MB asked for over the messages surface %s arrives whole, or as an explicit error',
  async (_how, stream) => {
    gateway.provider.respond('other', wholeBody);
    const body = { model: 'other', max_tokens: 100, stream, messages: [{ role: 'user', content: 'write' }] };
    const reply = await gateway.post('/anthropic/v1/messages', body, { 'x-api-key': gateway.key });
    const isError = reply.text.includes('"type":"error"');
    expect(isError || reply.text.length > argumentsText.length).toBe(true);
    expect(reply.text.includes('message_stop')).toBe(stream && !isError);
  },
);

test('a tool call of 9 MB asked for over the chat surface arrives whole, or as an explicit error', async () => {
  gateway.provider.respond('other', wholeBody);
  const reply = await gateway.chat({ model: 'other' });
  const isError = reply.text.includes('"error":{');
  expect(isError || reply.text.length > argumentsText.length).toBe(true);
  expect(reply.frames.includes('[DONE]')).toBe(!isError);
});
