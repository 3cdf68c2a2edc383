import { type AnswerPart, type PlaygroundAnswer, type PlaygroundMessage, textIn, withText } from './answer.ts';
import { type Settings, temperatureOf, toolsOf } from './settings.ts';

/** The body of a chat-completions request. Reasoning is not sent back: several providers reject it there. */
export function chatBody(
  settings: Settings,
  messages: readonly PlaygroundMessage[],
): Readonly<Record<string, unknown>> {
  const temperature = temperatureOf({ ...settings, surface: 'chat' });
  const tools = toolsOf(settings).map((tool) => ({ type: 'function', function: tool }));
  return {
    model: settings.model,
    messages: [
      ...(settings.system === '' ? [] : [{ role: 'system', content: settings.system }]),
      ...messages.flatMap(messagesOf),
    ],
    stream: true,
    stream_options: { include_usage: true },
    ...(settings.maxTokens !== undefined && { max_tokens: settings.maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(settings.stop.length > 0 && { stop: settings.stop }),
    ...(settings.thinking !== 'default' && { thinking: { type: settings.thinking === 'on' ? 'enabled' : 'disabled' } }),
    ...(settings.effort && settings.thinking !== 'off' && { reasoning_effort: settings.effort }),
    ...(tools.length > 0 && { tools }),
  };
}

function messagesOf(message: PlaygroundMessage): readonly object[] {
  if (message.role === 'user') return [{ role: 'user', content: message.text }];
  if (message.role === 'tool') {
    return message.results.map(({ callId, content }) => ({ role: 'tool', tool_call_id: callId, content }));
  }
  const calls = message.parts.flatMap((part) =>
    part.kind === 'call'
      ? [{ id: part.id, type: 'function', function: { name: part.name, arguments: part.arguments } }]
      : [],
  );
  return [
    { role: 'assistant', content: textIn(message.parts) || null, ...(calls.length > 0 && { tool_calls: calls }) },
  ];
}

interface Chunk {
  readonly id?: string;
  readonly model?: string;
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null;
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly CallDelta[] | null;
    };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
  } | null;
  readonly error?: { readonly code?: string; readonly message?: string };
}

interface CallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** Applies one event of a chat-completions stream to the answer. */
export function readChat(answer: PlaygroundAnswer, data: string): PlaygroundAnswer {
  if (data === '[DONE]') return { ...answer, isComplete: true };
  const chunk = JSON.parse(data) as Chunk;
  if (chunk.error) {
    return { ...answer, error: { code: chunk.error.code ?? '', message: chunk.error.message ?? '' } };
  }
  const choice = chunk.choices?.[0];
  let next: PlaygroundAnswer = { ...answer, id: chunk.id ?? answer.id, model: chunk.model ?? answer.model };
  if (choice?.delta?.reasoning_content) next = withText(next, 'thinking', choice.delta.reasoning_content);
  if (choice?.delta?.content) next = withText(next, 'text', choice.delta.content);
  for (const call of choice?.delta?.tool_calls ?? []) next = withCall(next, call);
  if (choice?.finish_reason) next = { ...next, finish: choice.finish_reason };
  return chunk.usage ? { ...next, usage: usageOf(chunk.usage) } : next;
}

/** A delta names its call by its index among the calls. */
function withCall(answer: PlaygroundAnswer, delta: CallDelta): PlaygroundAnswer {
  const indexes = answer.parts.flatMap((part, index) => (part.kind === 'call' ? [index] : []));
  const index = indexes[delta.index ?? indexes.length];
  const before = index === undefined ? undefined : answer.parts[index];
  const known = before?.kind === 'call' ? before : { id: '', name: '', arguments: '' };
  const call: AnswerPart = {
    kind: 'call',
    id: known.id || (delta.id ?? ''),
    name: known.name + (delta.function?.name ?? ''),
    arguments: known.arguments + (delta.function?.arguments ?? ''),
  };
  return { ...answer, parts: index === undefined ? [...answer.parts, call] : answer.parts.with(index, call) };
}

function usageOf(usage: NonNullable<Chunk['usage']>): PlaygroundAnswer['usage'] {
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens,
  };
}
