import type { AnswerPart } from './answer.ts';
import { type Settings, temperatureOf, toolsOf } from './settings.ts';
import { textIn, type PlaygroundMessage } from './turn.ts';

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
