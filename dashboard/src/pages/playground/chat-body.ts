import { type Settings, temperatureOf, toolsOf } from './settings.ts';
import { textIn, type PlaygroundMessage } from './turn.ts';

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
