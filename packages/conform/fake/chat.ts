import { errorReply, type FakeGatewayReply, streamReply } from './reply.ts';
import { list, messagesOf, of } from './rules.ts';

type Body = Readonly<Record<string, unknown>>;

/** The models of the fake gateway, each with one capability. */
export const fakeModels = [
  { id: 'fake-chat-2026-01-02', alias: 'fake-chat', tags: ['openai'], can: 'logprobs' },
  { id: 'fake-thinker-2026-02-03', alias: 'fake-thinker', tags: ['anthropic', 'openai'], can: 'thinking' },
  { id: 'fake-agent-2026-03-04', alias: 'fake-agent', tags: ['openai-response', 'openai'], can: 'tools' },
];

export function modelNamed(name: unknown) {
  return fakeModels.find((model) => model.id === name || model.alias === name);
}

export function denied(): FakeGatewayReply {
  return errorReply(403, 'access_denied', 'gateway_error', '模型不存在或无权访问。');
}

/** The complete stream of a conforming gateway. */
export function chatReply(body: Body): FakeGatewayReply {
  const model = modelNamed(body.model);
  if (model === undefined) return denied();
  if (messagesOf(body).some((message) => message.prefix !== undefined))
    return errorReply(400, 'unsupported_parameter', 'upstream_error', 'Please try again later.');
  const calls = model.can === 'tools' ? callsFor(body) : [];
  const tokens = calls.length > 0 ? [] : tokensFor(body);
  const reasoning = model.can === 'thinking' && of(body.thinking).type !== 'disabled' ? ['Let me ', 'see.'] : [];
  const deltas: readonly Body[] = [
    { role: 'assistant', content: '' },
    ...reasoning.map((text) => ({ reasoning_content: text })),
    ...tokens.map((text) => ({ content: text })),
    ...calls.flatMap(fragments),
    {},
  ];
  const created = Math.floor(Date.now() / 1000);
  const head = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created,
    model: model.id,
    system_fingerprint: null,
  };
  const chunks = deltas.map((delta, position) => {
    const hasLogprobs = model.can === 'logprobs' && body.logprobs === true && typeof delta.content === 'string';
    const logprobs = hasLogprobs ? recordsOf(String(delta.content), body) : null;
    const reason = calls.length > 0 ? 'tool_calls' : 'stop';
    const finish_reason = position === deltas.length - 1 ? reason : null;
    return { ...head, choices: [{ index: 0, delta, finish_reason, logprobs }], usage: null };
  });
  const completion = tokens.length + reasoning.length + calls.length;
  const usage = usageFor(JSON.stringify(body.messages ?? []).length, completion, reasoning.length);
  return streamReply([...chunks, { ...head, choices: [], usage }]);
}

export function usageFor(prompt: number, completion: number, reasoning: number) {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0, text_tokens: prompt, audio_tokens: 0, image_tokens: 0 },
    completion_tokens_details: { text_tokens: completion - reasoning, audio_tokens: 0, reasoning_tokens: reasoning },
    input_tokens: prompt,
    output_tokens: 0,
    upstream_cache_creation_5_m_tokens: 0,
    upstream_cache_creation_1_h_tokens: 0,
    usage_semantic: 'openai',
    usage_source: 'fake',
  };
}

function callsFor(body: Body): readonly string[] {
  const names = list(body.tools).map((tool) => of(of(tool).function).name);
  if (names.length === 0 || body.tool_choice === 'none' || messagesOf(body).at(-1)?.role === 'tool') return [];
  return [(of(of(body.tool_choice).function).name ?? names[0]) as string];
}

function fragments(name: string, index: number): readonly Body[] {
  return [
    { tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }] },
    { tool_calls: [{ index, function: { arguments: '{"city":' } }] },
    { tool_calls: [{ index, function: { arguments: '"Oslo"}' } }] },
  ];
}

function tokensFor(body: Body): readonly string[] {
  const counting = JSON.stringify(body.messages ?? []).includes('Count')
    ? 'one two three four five six seven'
    : 'Hello there.';
  const full = of(body.response_format).type === 'json_object' ? '{"greeting": "hello"}' : counting;
  const stops = [body.stop ?? []].flat() as string[];
  const cut = stops.reduce((text, stop) => text.split(stop)[0] ?? '', full);
  return (cut.match(/\s*\S+/g) ?? []).slice(0, typeof body.max_tokens === 'number' ? body.max_tokens : undefined);
}

function recordsOf(token: string, body: Body) {
  const record = { token, logprob: -0.1, bytes: [...Buffer.from(token)] };
  const top = Array.from({ length: Number(body.top_logprobs ?? 0) }, () => record);
  return { content: token === '' ? [] : [{ ...record, ...(top.length > 0 && { top_logprobs: top }) }] };
}
