import { expect, test } from 'vitest';
import { decodeWriteDetails, requestedLifetime } from './cache-lifetime.ts';
import type { WireFormat } from './chat/chat-request.ts';
import { decodeUsage as decodeChatUsage } from './chat-completions/answer/decode-usage.ts';
import { decodeUsage as decodeMessagesUsage } from './messages/answer/usage.ts';
import { decodeResponsesUsage, encodeResponsesUsage } from './responses/answer/usage.ts';
import { countReader } from './token-count.ts';

const lifetime = (own: WireFormat, body: object, format = own) =>
  requestedLifetime({ format: own, body: body as Record<string, unknown>, bytes: 0 }, format);
const marked = (ttl: unknown) => ({ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl } });
const breakpoint = (ttl: unknown) => ({ type: 'input_text', prompt_cache_breakpoint: { mode: 'explicit', ttl } });

test.each<[string, WireFormat, object, string]>([
  ['nothing, in chat', 'chat-completions', { messages: [{ content: 'ttl' }] }, '30m'],
  ['nothing, in responses', 'responses', { input: 'x' }, '30m'],
  ['nothing, in messages', 'messages', { messages: [] }, '5m'],
  ['options', 'responses', { input: 'x', prompt_cache_options: { ttl: '12h' } }, '12h'],
  ['options without a lifetime', 'chat-completions', { prompt_cache_options: { mode: 'explicit' } }, '30m'],
  ['a part', 'responses', { input: [{ role: 'user', content: [breakpoint('12h'), breakpoint('30m')] }] }, '12h'],
  ['a deep part', 'responses', { input: [{ type: 'x_output', output: [{ content: [breakpoint('12h')] }] }] }, '12h'],
  ['a tool', 'chat-completions', { tools: [{ ...marked('1h'), type: 'function', function: {} }] }, '1h'],
  ['the longest of several', 'messages', { system: [marked('5m')], messages: [{ content: [marked('1h')] }] }, '1h'],
  ['inside of a tool result', 'messages', { messages: [{ content: [{ content: [marked('1h')] }] }] }, '1h'],
  ['the whole request', 'messages', { cache_control: { type: 'ephemeral', ttl: '1h' } }, '1h'],
  ['an unknown lifetime', 'messages', { system: [marked('7d')] }, '12h'],
  ['a lifetime that is no text', 'responses', { prompt_cache_options: { ttl: 99 } }, '12h'],
  ['arguments of a tool', 'messages', { messages: [{ content: [{ type: 'tool_use', input: marked('1h') }] }] }, '5m'],
  ['a schema', 'messages', { tools: [{ input_schema: { properties: { cache_control: { ttl: '1h' } } } }] }, '5m'],
  ['metadata', 'responses', { metadata: { prompt_cache_options: { ttl: '12h' } } }, '30m'],
])('the longest lifetime that a request asks for: %s', (_, format, body, expected) => {
  expect(lifetime(format, body)).toBe(expected);
});

test('only what reaches the provider counts if a request is translated', () => {
  const body = { messages: [{ content: [marked('1h')] }], prompt_cache_options: { ttl: '12h' } };
  expect(lifetime('chat-completions', body, 'messages')).toBe('1h');
  expect(lifetime('messages', body, 'chat-completions')).toBe('30m');
});

const read = (details: object, unsplit?: () => '12h') =>
  decodeWriteDetails(
    details as Record<string, unknown>,
    100,
    countReader(() => {}),
    unsplit,
  );

test('writes have the lifetimes that the provider reports, and the rest the longest that was asked for', () => {
  const split = { ttl_30m_tokens: 3, ttl_12h_tokens: 4 };
  const exact = { cacheWrite30mTokens: 3, cacheWrite12hTokens: 4 };
  expect(read({ cache_write_tokens: 7, cache_write_tokens_details: split }, () => '12h')).toMatchObject(exact);
  expect(read({ cache_write_tokens_details: split })).toMatchObject(exact);
  const more = { cache_write_tokens: 10, cache_write_tokens_details: split };
  expect(read(more)).toMatchObject({ cacheWrite30mTokens: 6, cacheWrite12hTokens: 4 });
  expect(read(more, () => '12h')).toMatchObject({ cacheWrite30mTokens: 3, cacheWrite12hTokens: 7 });
  expect(read({ cache_write_tokens: 7 })).toMatchObject({ cacheWrite30mTokens: 7, cacheWrite12hTokens: undefined });
  expect(read({ cache_write_tokens: 7 }, () => '12h')).toMatchObject({ cacheWrite12hTokens: 7 });
  // Details of another kind are no split.
  const kinds = { cache_write_tokens: 7, cache_write_tokens_details: { text_tokens: 7 } };
  expect(read(kinds, () => '12h')).toMatchObject({ cacheWrite12hTokens: 7 });
});

test('no request is searched for a lifetime if the provider reports no writes', () => {
  const never = () => {
    throw new Error('searched');
  };
  expect(read({}, never)).toMatchObject({ cacheWrite30mTokens: undefined });
  expect(read({ cache_write_tokens: 0 }, never)).toMatchObject({ cacheWrite30mTokens: 0 });
});

const fail = (what: string) => expect.unreachable(what);

test('each format reads writes without a split as the lifetime that was asked for', () => {
  const chat = { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cache_write_tokens: 7 } };
  expect(decodeChatUsage(chat, fail, 'sum', () => '12h')).toMatchObject({ cacheWrite12hTokens: 7 });
  const responses = { input_tokens: 9, output_tokens: 1, input_tokens_details: { cache_write_tokens: 7 } };
  expect(decodeResponsesUsage(responses, fail, () => '12h')).toMatchObject({ cacheWrite12hTokens: 7 });
  const messages = { input_tokens: 2, output_tokens: 1, cache_creation_input_tokens: 7 };
  const decoded = decodeMessagesUsage(undefined, messages, fail, () => '1h');
  expect(decoded).toMatchObject({ promptTokens: 9, cacheWrite1hTokens: 7, cacheWrite5mTokens: undefined });
});

test('clients of the responses format get the split only if the provider reported one', () => {
  const details = (extra: object) => {
    const input_tokens_details = { cached_tokens: 0, cache_write_tokens: 7, ...extra };
    const usage = decodeResponsesUsage({ input_tokens: 9, output_tokens: 1, input_tokens_details }, fail)!;
    expect(encodeResponsesUsage(usage).input_tokens_details).toEqual(input_tokens_details);
  };
  details({});
  details({ cache_write_tokens_details: { ttl_30m_tokens: 3, ttl_12h_tokens: 4 } });
});
