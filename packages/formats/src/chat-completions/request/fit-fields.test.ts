import { describe, expect, test } from 'vitest';
import { chatRequest } from '../../../../../test/call-upstream.ts';
import { defaultQuirks, type ResolvedQuirks } from '../quirks.ts';
import { encodeChatRequest } from './encode-request.ts';

function sent(quirks: Partial<ResolvedQuirks>, body: Record<string, unknown>, more: object = {}, model = 'm') {
  const request = chatRequest({ ...more, wire: { format: 'chat-completions', body, bytes: 1 } });
  const encoding = { model, maxTokens: undefined, thinkingCapable: false, quirks: { ...defaultQuirks, ...quirks } };
  return JSON.parse(encodeChatRequest(request, encoding)) as Record<string, unknown>;
}

const turn = {
  role: 'assistant',
  content: null,
  reasoning_content: 'Hm.',
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 't', arguments: '{}' } }],
};
const result = { role: 'tool', tool_call_id: 'call_1', content: 'done', name: 't' };
const messages = [{ role: 'user', content: 'Go', name: 'Ada' }, turn, result];

describe('a provider that refuses what the format does not define', () => {
  const standard = { fields: 'standard' } as const;

  test('gets no fields of other servers, but those of the format', () => {
    const body = { model: 'a', messages: [], temperature: 1, n: 2, parallel_tool_calls: true, user: 'u' };
    const { messages: _, ...rest } = sent(standard, { ...body, seed: 7, top_k: 3, min_p: 0.1, store: false });
    expect(rest).toEqual({ model: 'm', temperature: 1, n: 2, stream: true, stream_options: { include_usage: true } });
    expect(sent(standard, { ...body, parallel_tool_calls: false })).toMatchObject({ parallel_tool_calls: false });
  });

  test('gets messages without names and reasoning', () => {
    expect(sent(standard, { messages })['messages']).toEqual([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: null, tool_calls: turn.tool_calls },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ]);
  });
});

test('a provider with ids of nine characters gets the same short id for a call and its result', () => {
  const [, called, answered] = sent({ callIds: 'nine-characters' }, { messages })['messages'] as Record<string, any>[];
  expect([called!['tool_calls'][0].id, answered!['tool_call_id']]).toEqual(['call00001', 'call00001']);
  const own = { ...result, tool_call_id: 'Ab3dE6gH9' };
  expect(sent({ callIds: 'nine-characters' }, { messages: [own] })['messages']).toEqual([own]);
});

describe('a provider that requires signatures of calls', () => {
  const signed = { callSignatures: 'required' } as const;
  const callsOf = (body: Record<string, unknown>) => (body['messages'] as Record<string, any>[])[1]!['tool_calls'];

  test('gets the documented placeholder for a missing one, from the version that requires it', () => {
    const placeholder = { google: { thought_signature: 'skip_thought_signature_validator' } };
    expect(callsOf(sent(signed, { messages }, {}, 'google/gemini-3-pro'))[0].extra_content).toEqual(placeholder);
    expect(callsOf(sent(signed, { messages }, {}, 'gemini-2.5-pro'))).toEqual(turn.tool_calls);
  });

  test('gets its own signature back', () => {
    const extra_content = { google: { thought_signature: 'c2lnbmVk' } };
    const own = { ...turn, tool_calls: [{ ...turn.tool_calls[0], extra_content }, turn.tool_calls[0]] };
    const body = sent(signed, { messages: [messages[0], own] }, {}, 'gemini-3-pro');
    expect(callsOf(body)).toEqual(own.tool_calls);
  });
});

test('reasoning of Gemini is requested with its own object, or disabled with an effort', () => {
  const style = { thinkingStyle: 'thinking_config' } as const;
  expect(sent(style, {}, { thinking: 'enabled', thinkingBudget: 2000 })).toMatchObject({
    extra_body: { google: { thinking_config: { include_thoughts: true, thinking_budget: 2000 } } },
  });
  expect(sent(style, { reasoning_effort: 'high' }, { thinking: 'enabled', effort: 'high' })).not.toHaveProperty(
    'reasoning_effort',
  );
  const off = sent(style, {}, { thinking: 'disabled' });
  expect([off['reasoning_effort'], off['extra_body']]).toEqual(['none', undefined]);
});
