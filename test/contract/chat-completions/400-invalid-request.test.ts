import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEnvelope } from '../../expectations.ts';
import { answer } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  // Valid also for requests with a JSON response format.
  gateway.provider.respond('plain', answer('{"fine":true}'));
});
afterAll(() => gateway.stop());

const hello = [{ role: 'user', content: 'hello' }];
const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } });
const body = (fields: object) => ({ model: 'plain', messages: hello, ...fields });
const messages = (...list: unknown[]) => ({ model: 'plain', messages: list });

/** A body, and the field that the error message must name. */
const refused: readonly (readonly [label: string, sent: unknown, names: string])[] = [
  ['null instead of an object', null, 'object'],
  ['a number instead of an object', 1, 'object'],
  ['a string instead of an object', 'x', 'object'],
  ['a list instead of an object', [], 'object'],
  ['no model', { messages: hello }, 'model'],
  ['model null', body({ model: null }), 'model'],
  ['model a number', body({ model: 7 }), 'model'],
  ['model a list', body({ model: [] }), 'model'],
  ['no messages', { model: 'plain' }, 'messages'],
  ['messages an object', { model: 'plain', messages: {} }, 'messages'],
  ['messages a string', { model: 'plain', messages: 'x' }, 'messages'],
  ['messages empty', { model: 'plain', messages: [] }, 'messages'],
  ['a message null', messages(null), 'messages[0]'],
  ['a message a number', messages(5), 'messages[0]'],
  ['a message a string', messages('hi'), 'messages[0]'],
  ['a message without role', messages({ content: 'x' }), 'messages[0].role'],
  ['an unknown role', messages({ role: 'alien', content: 'x' }), 'messages[0].role'],
  ['a role in capitals', messages({ role: 'System', content: 'x' }), 'messages[0].role'],
  ['a role that is a number', messages({ role: 1, content: 'x' }), 'messages[0].role'],
  ['user content null', messages({ role: 'user', content: null }), 'messages[0].content'],
  ['user content a number', messages({ role: 'user', content: 4 }), 'messages[0].content'],
  ['user content an object', messages({ role: 'user', content: {} }), 'messages[0].content'],
  ['user content missing', messages({ role: 'user' }), 'messages[0].content'],
  ['system content null', messages({ role: 'system', content: null }), 'messages[0].content'],
  ['a tool message without tool_call_id', messages({ role: 'tool', content: 'x' }), 'messages[0].tool_call_id'],
  ['tool_call_id a number', messages({ role: 'tool', content: 'x', tool_call_id: 3 }), 'messages[0].tool_call_id'],
  ['name a number', messages({ role: 'user', content: 'x', name: 5 }), 'messages[0].name'],
  ['name an object', messages({ role: 'user', content: 'x', name: {} }), 'messages[0].name'],
  ['max_tokens 0', body({ max_tokens: 0 }), 'max_tokens'],
  ['max_tokens -1', body({ max_tokens: -1 }), 'max_tokens'],
  ['max_tokens 1.5', body({ max_tokens: 1.5 }), 'max_tokens'],
  ['max_tokens a string', body({ max_tokens: '9' }), 'max_tokens'],
  ['max_tokens 1e308', body({ max_tokens: 1e308 }), 'max_tokens'],
  ['max_tokens 2^53', body({ max_tokens: 2 ** 53 }), 'max_tokens'],
  ['temperature -0.1', body({ temperature: -0.1 }), 'temperature'],
  ['temperature 2.01', body({ temperature: 2.01 }), 'temperature'],
  ['temperature a string', body({ temperature: '1' }), 'temperature'],
  ['temperature true', body({ temperature: true }), 'temperature'],
  ['top_p -0.01', body({ top_p: -0.01 }), 'top_p'],
  ['top_p 1.01', body({ top_p: 1.01 }), 'top_p'],
  ['top_p an object', body({ top_p: {} }), 'top_p'],
  ['response_format a string', body({ response_format: 'json' }), 'response_format'],
  ['response_format without type', body({ response_format: {} }), 'response_format'],
  ['response_format xml', body({ response_format: { type: 'xml' } }), 'response_format'],
  ['17 stops', body({ stop: Array.from({ length: 17 }, (_, i) => `s${i}`) }), 'stop'],
  ['a stop that is a number', body({ stop: [1] }), 'stop'],
  ['stop an object', body({ stop: {} }), 'stop'],
  ['a stop that is null', body({ stop: [null] }), 'stop'],
  ['stream a string', body({ stream: 'yes' }), 'stream'],
  ['stream a number', body({ stream: 1 }), 'stream'],
  ['stream_options a string', body({ stream_options: 'x' }), 'stream_options'],
  ['include_usage a string', body({ stream_options: { include_usage: 'x' } }), 'stream_options'],
  ['129 tools', body({ tools: Array.from({ length: 129 }, (_, i) => tool(`f${i}`)) }), 'tools'],
  ['tools an object', body({ tools: {} }), 'tools'],
  ['a tool null', body({ tools: [null] }), 'tools[0]'],
  ['a tool of another type', body({ tools: [{ type: 'web', function: { name: 'f' } }] }), 'tools[0].type'],
  ['a tool without function', body({ tools: [{ type: 'function' }] }), 'tools[0].function'],
  ['an empty function name', body({ tools: [tool('')] }), 'tools[0].function.name'],
  ['a function name of 65 characters', body({ tools: [tool('a'.repeat(65))] }), 'tools[0].function.name'],
  ['a function name with a space', body({ tools: [tool('a b')] }), 'tools[0].function.name'],
  ['a function name with an accent', body({ tools: [tool('é')] }), 'tools[0].function.name'],
  ['a function name with a dot', body({ tools: [tool('a.b')] }), 'tools[0].function.name'],
  ['parameters a string', body({ tools: [tool('f', { parameters: 'x' })] }), 'tools[0].function.parameters'],
  ['parameters a list', body({ tools: [tool('f', { parameters: [] })] }), 'tools[0].function.parameters'],
  ['strict a string', body({ tools: [tool('f', { strict: 'yes' })] }), 'tools[0].function.strict'],
  ['tool_choice any', body({ tools: [tool('f')], tool_choice: 'any' }), 'tool_choice'],
  ['tool_choice an empty object', body({ tools: [tool('f')], tool_choice: {} }), 'tool_choice'],
  [
    'tool_choice naming a function that is not offered',
    body({ tools: [tool('f')], tool_choice: { type: 'function', function: { name: 'g' } } }),
    'tool_choice',
  ],
  ['tool_choice required without tools', body({ tool_choice: 'required' }), 'tool_choice'],
  ['thinking auto', body({ thinking: { type: 'auto' } }), 'thinking'],
  ['thinking a string', body({ thinking: 'on' }), 'thinking'],
  ['an unknown effort', body({ reasoning_effort: 'ultra' }), 'reasoning_effort'],
  ['an effort that is a number', body({ reasoning_effort: 3 }), 'reasoning_effort'],
  ['user_id of 513 characters', body({ user_id: 'u'.repeat(513) }), 'user_id'],
  ['user_id with a space', body({ user_id: 'a b' }), 'user_id'],
  ['user_id an e-mail address', body({ user_id: 'a@example.com' }), 'user_id'],
  ['user_id a number', body({ user_id: 5 }), 'user_id'],
  ['logprobs a string', body({ logprobs: 'true' }), 'logprobs'],
  ['top_logprobs -1', body({ logprobs: true, top_logprobs: -1 }), 'top_logprobs'],
  ['top_logprobs 21', body({ logprobs: true, top_logprobs: 21 }), 'top_logprobs'],
  ['top_logprobs 1.5', body({ logprobs: true, top_logprobs: 1.5 }), 'top_logprobs'],
  ['top_logprobs without logprobs', body({ top_logprobs: 3 }), 'top_logprobs'],
];

test.each(refused)('%s is rejected, and the error names the field', async (_label, sent, names) => {
  const callsBefore = gateway.provider.calls.length;
  const reply = await gateway.post('/v1/chat/completions', sent);
  expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
  expect(reply.json.error).not.toHaveProperty('param');
  expect(reply.json.error.message).toContain(names);
  expect(gateway.provider.calls.length).toBe(callsBefore);
});

test('a number outside the range of a double is rejected', async () => {
  const text = '{"model":"plain","messages":[{"role":"user","content":"x"}],"temperature":1e400}';
  const reply = await gateway.postText('/v1/chat/completions', text);
  expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
});

const nullable = ['max_tokens', 'temperature', 'top_p', 'response_format', 'stop', 'stream', 'stream_options', 'tools'];
nullable.push('tool_choice', 'thinking', 'reasoning_effort', 'user_id', 'logprobs', 'top_logprobs');

const accepted: readonly (readonly [label: string, fields: object])[] = [
  ...nullable.map((name) => [`${name} null`, { [name]: null }] as const),
  ['temperature 0', { temperature: 0 }],
  ['temperature 2', { temperature: 2 }],
  ['top_p 0', { top_p: 0 }],
  ['top_p 1', { top_p: 1 }],
  ['16 stops', { stop: Array.from({ length: 16 }, (_, i) => `s${i}`) }],
  ['one stop as a string', { stop: 'END' }],
  ['an empty stop', { stop: '' }],
  ['128 tools', { tools: Array.from({ length: 128 }, (_, i) => tool(`f${i}`)) }],
  ['a function name of 64 characters', { tools: [tool('a'.repeat(64))] }],
  ['a tool without parameters', { tools: [tool('f')] }],
  ['a strict tool', { tools: [tool('f', { strict: true, parameters: { type: 'object' } })] }],
  ['user_id of 512 characters', { user_id: 'u'.repeat(512) }],
  ['top_logprobs 0', { logprobs: true, top_logprobs: 0 }],
  ['top_logprobs 20', { logprobs: true, top_logprobs: 20 }],
  ['frequency_penalty of any type', { frequency_penalty: { a: [1] } }],
  ['presence_penalty of any type', { presence_penalty: 'x' }],
  ['response_format text', { response_format: { type: 'text' } }],
  ['response_format json_object', { response_format: { type: 'json_object' } }],
  ['response_format json_schema', { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } }],
  ['stream_options without stream', { stream_options: { include_usage: true } }],
  ['fields the contract does not list', { seed: 7, metadata: { a: 1 }, api_base: 'http://evil.example' }],
  ['max_tokens above the cap of the model', { max_tokens: 2_000_000_000 }],
  ['an assistant message without content', { messages: [...hello, { role: 'assistant', content: null }] }],
  [
    'an assistant message with tool calls and the tool’s answer',
    {
      messages: [
        ...hello,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', content: 'done', tool_call_id: 'c1' },
      ],
    },
  ],
  ['a developer message', { messages: [{ role: 'developer', content: 'be brief' }, ...hello] }],
  ['content in parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }],
  ['a participant’s name', { messages: [{ role: 'user', content: 'hi', name: 'ann' }] }],
  ['strange but valid text', { messages: [{ role: 'user', content: '\u0000 \ud800 \u202e data: [DONE]\n\n 😀' }] }],
];

test.each(accepted)('%s is accepted', async (_label, fields) => {
  const reply = await gateway.post('/v1/chat/completions', body(fields));
  expect(reply.text).toContain('data: [DONE]');
  expect(reply.status).toBe(200);
});
