import {
  type AnswerPart,
  type AnswerUsage,
  type PlaygroundAnswer,
  type PlaygroundMessage,
  textIn,
  withText,
} from './answer.ts';
import { type Settings, temperatureOf, toolsOf } from './settings.ts';

/** The body of a responses request. It turns storage off. The format has no stop sequences. */
export function responsesBody(
  settings: Settings,
  messages: readonly PlaygroundMessage[],
): Readonly<Record<string, unknown>> {
  const temperature = temperatureOf({ ...settings, surface: 'responses' });
  const tools = toolsOf(settings).map((tool) => ({ type: 'function', ...tool }));
  const effort = settings.thinking === 'off' ? 'none' : settings.effort;
  return {
    model: settings.model,
    ...(settings.system !== '' && { instructions: settings.system }),
    input: messages.flatMap(itemsOf),
    stream: true,
    store: false,
    ...(settings.maxTokens !== undefined && { max_output_tokens: settings.maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(effort && { reasoning: { effort } }),
    ...(tools.length > 0 && { tools }),
  };
}

function itemsOf(message: PlaygroundMessage): readonly object[] {
  if (message.role === 'user') return [{ role: 'user', content: message.text }];
  if (message.role === 'tool') {
    return message.results.map(({ callId, content }) => ({
      type: 'function_call_output',
      call_id: callId,
      output: content,
    }));
  }
  const text = textIn(message.parts);
  return [...(text === '' ? [] : [{ role: 'assistant', content: text }]), ...message.parts.flatMap(callOf)];
}

function callOf(part: AnswerPart): readonly object[] {
  if (part.kind !== 'call') return [];
  return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments || '{}' }];
}

interface ResponseEvent {
  readonly type?: string;
  readonly delta?: string;
  readonly item?: { readonly type?: string; readonly call_id?: string; readonly name?: string };
  readonly response?: WireResponse;
}

interface WireResponse {
  readonly id?: string;
  readonly model?: string;
  readonly status?: string;
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly error?: { readonly code?: string; readonly message?: string } | null;
  readonly usage?: ResponsesUsage | null;
}

interface ResponsesUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly input_tokens_details?: { readonly cached_tokens?: number };
  readonly output_tokens_details?: { readonly reasoning_tokens?: number };
}

/**
 * Applies one event of a responses stream to the answer. One item is open at a time, so a delta belongs to the last
 * part.
 */
export function readResponses(answer: PlaygroundAnswer, data: string): PlaygroundAnswer {
  if (data === '[DONE]') return answer;
  const event = JSON.parse(data) as ResponseEvent;
  switch (event.type) {
    case 'response.created':
      return { ...answer, id: event.response?.id, model: event.response?.model };
    case 'response.output_text.delta':
      return withText(answer, 'text', event.delta ?? '');
    case 'response.reasoning_summary_text.delta':
      return withText(answer, 'thinking', event.delta ?? '');
    case 'response.output_item.added':
      return withCall(answer, event.item);
    case 'response.function_call_arguments.delta':
      return withArguments(answer, event.delta ?? '');
    case 'response.completed':
    case 'response.incomplete':
      return ended(answer, event.response ?? {});
    case 'response.failed':
      return {
        ...answer,
        error: { code: event.response?.error?.code ?? '', message: event.response?.error?.message ?? '' },
      };
    default:
      return answer;
  }
}

function withCall(answer: PlaygroundAnswer, item: ResponseEvent['item']): PlaygroundAnswer {
  if (item?.type !== 'function_call') return answer;
  const call = { kind: 'call', id: item.call_id ?? '', name: item.name ?? '', arguments: '' } as const;
  return { ...answer, parts: [...answer.parts, call] };
}

function withArguments(answer: PlaygroundAnswer, delta: string): PlaygroundAnswer {
  const last = answer.parts.at(-1);
  if (last?.kind !== 'call') return answer;
  return { ...answer, parts: [...answer.parts.slice(0, -1), { ...last, arguments: last.arguments + delta }] };
}

function ended(answer: PlaygroundAnswer, response: WireResponse): PlaygroundAnswer {
  const finish = response.incomplete_details?.reason ?? response.status;
  return { ...answer, finish, usage: usageOf(response.usage ?? {}), isComplete: true };
}

function usageOf(usage: ResponsesUsage): AnswerUsage {
  return {
    promptTokens: usage.input_tokens,
    completionTokens: usage.output_tokens,
    cachedTokens: usage.input_tokens_details?.cached_tokens,
    reasoningTokens: usage.output_tokens_details?.reasoning_tokens,
  };
}
