import type { AnswerPart } from './answer.ts';
import { type Settings, temperatureOf, toolsOf } from './settings.ts';
import { textIn, type PlaygroundMessage } from './turn.ts';

/** The body of a responses request. It turns storage off. The format has no stop sequences. */
export function responsesBody(
  settings: Settings,
  turns: readonly PlaygroundMessage[],
): Readonly<Record<string, unknown>> {
  const temperature = temperatureOf({ ...settings, surface: 'responses' });
  const tools = toolsOf(settings).map((tool) => ({ type: 'function', ...tool }));
  const effort = settings.thinking === 'off' ? 'none' : settings.effort;
  return {
    model: settings.model,
    ...(settings.system !== '' && { instructions: settings.system }),
    input: turns.flatMap(itemsOf),
    stream: true,
    store: false,
    ...(settings.maxTokens !== undefined && { max_output_tokens: settings.maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(effort && { reasoning: { effort } }),
    ...(tools.length > 0 && { tools }),
  };
}

function itemsOf(turn: PlaygroundMessage): readonly object[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.role === 'tool') {
    return turn.results.map(({ callId, content }) => ({
      type: 'function_call_output',
      call_id: callId,
      output: content,
    }));
  }
  const text = textIn(turn.parts);
  return [...(text === '' ? [] : [{ role: 'assistant', content: text }]), ...turn.parts.flatMap(callOf)];
}

function callOf(part: AnswerPart): readonly object[] {
  if (part.kind !== 'call') return [];
  return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments || '{}' }];
}
