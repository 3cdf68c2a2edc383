import type { AnswerPart } from './answer.ts';
import { type Settings, temperatureOf, toolsOf, defaultMaxTokens } from './settings.ts';
import { argumentsOf, type PlaygroundMessage } from './turn.ts';

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
