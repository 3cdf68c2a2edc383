import {
  type AnswerPart,
  type AnswerUsage,
  argumentsOf,
  type PlaygroundAnswer,
  type PlaygroundMessage,
} from './answer.ts';
import { defaultMaxTokens, type Settings, temperatureOf, toolsOf } from './settings.ts';

/** The body of a messages request. Signed reasoning is sent back: the provider requires it before tool results. */
export function messagesBody(
  settings: Settings,
  messages: readonly PlaygroundMessage[],
): Readonly<Record<string, unknown>> {
  const temperature = temperatureOf({ ...settings, surface: 'messages' });
  const tools = toolsOf(settings).map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  return {
    model: settings.model,
    max_tokens: settings.maxTokens ?? defaultMaxTokens,
    ...(settings.system !== '' && { system: settings.system }),
    messages: messages.map(messageOf),
    stream: true,
    ...(temperature !== undefined && { temperature }),
    ...(settings.stop.length > 0 && { stop_sequences: settings.stop }),
    ...(settings.thinking !== 'default' && {
      thinking: { type: settings.thinking === 'on' ? 'adaptive' : 'disabled' },
    }),
    ...(settings.effort && settings.thinking !== 'off' && { output_config: { effort: settings.effort } }),
    ...(tools.length > 0 && { tools }),
  };
}

function messageOf(message: PlaygroundMessage): object {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'assistant') return { role: 'assistant', content: message.parts.flatMap(blockOf) };
  return {
    role: 'user',
    content: message.results.map(({ callId, content }) => ({ type: 'tool_result', tool_use_id: callId, content })),
  };
}

function blockOf(part: AnswerPart): readonly object[] {
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'thinking':
      return part.signature ? [{ type: 'thinking', thinking: part.text, signature: part.signature }] : [];
    case 'sealed-thinking':
      return [{ type: 'redacted_thinking', data: part.data }];
    case 'call':
      return [{ type: 'tool_use', id: part.id, name: part.name, input: argumentsOf(part.arguments) }];
    default:
      return part satisfies never;
  }
}

interface MessageEvent {
  readonly type?: string;
  readonly message?: { readonly id?: string; readonly model?: string; readonly usage?: MessagesUsage };
  readonly content_block?: MessageBlock;
  readonly delta?: {
    readonly text?: string;
    readonly thinking?: string;
    readonly signature?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string | null;
  };
  readonly usage?: MessagesUsage;
  readonly error?: { readonly code?: string; readonly type?: string; readonly message?: string };
}

interface MessageBlock {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly data?: string;
  readonly id?: string;
  readonly name?: string;
}

interface MessagesUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

/** Applies one event of a messages stream to the answer. Blocks are sequential, so a delta belongs to the last one. */
export function readMessages(answer: PlaygroundAnswer, data: string): PlaygroundAnswer {
  const event = JSON.parse(data) as MessageEvent;
  switch (event.type) {
    case 'message_start': {
      const { id, model, usage } = event.message ?? {};
      return { ...answer, id, model, usage: usageOf(usage, answer.usage) };
    }
    case 'content_block_start':
      return { ...answer, parts: [...answer.parts, ...partOf(event.content_block ?? {})] };
    case 'content_block_delta':
      return {
        ...answer,
        parts: [...answer.parts.slice(0, -1), ...answer.parts.slice(-1).map(applyDelta(event.delta))],
      };
    case 'message_delta':
      return {
        ...answer,
        finish: event.delta?.stop_reason ?? answer.finish,
        usage: usageOf(event.usage, answer.usage),
      };
    case 'message_stop':
      return { ...answer, isComplete: true };
    case 'error':
      return {
        ...answer,
        error: { code: event.error?.code ?? event.error?.type ?? '', message: event.error?.message ?? '' },
      };
    default:
      return answer;
  }
}

function partOf({ type, text = '', thinking = '', data = '', id = '', name = '' }: MessageBlock): AnswerPart[] {
  if (type === 'text') return [{ kind: 'text', text }];
  if (type === 'thinking') return [{ kind: 'thinking', text: thinking }];
  if (type === 'redacted_thinking') return [{ kind: 'sealed-thinking', data }];
  if (type === 'tool_use') return [{ kind: 'call', id, name, arguments: '' }];
  // Unknown blocks appear only in the raw frames. The empty part keeps their deltas away from the part before.
  return [{ kind: 'text', text: '' }];
}

function applyDelta(delta: MessageEvent['delta'] = {}): (part: AnswerPart) => AnswerPart {
  return (part) => {
    if (part.kind === 'text') return { ...part, text: part.text + (delta.text ?? '') };
    if (part.kind === 'call') return { ...part, arguments: part.arguments + (delta.partial_json ?? '') };
    if (part.kind === 'sealed-thinking') return part;
    const text = part.text + (delta.thinking ?? '');
    return delta.signature === undefined
      ? { ...part, text }
      : { ...part, text, signature: (part.signature ?? '') + delta.signature };
  };
}

/** This surface reports cached tokens separately. Here they count as prompt tokens, as on the other surfaces. */
function usageOf(usage: MessagesUsage = {}, before: AnswerUsage = {}): AnswerUsage {
  const cachedTokens = usage.cache_read_input_tokens ?? undefined;
  const isPromptKnown = typeof usage.input_tokens === 'number';
  const prompt = (usage.input_tokens ?? 0) + (cachedTokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return {
    promptTokens: isPromptKnown ? prompt : before.promptTokens,
    completionTokens: usage.output_tokens ?? before.completionTokens,
    cachedTokens: cachedTokens ?? before.cachedTokens,
  };
}
