import type { StreamEvent } from '../../chat/stream-event.ts';
import { type CompletePart, completeAnswer } from '../../complete-answer.ts';
import { exactObject } from '../../wire-value.ts';
import { addCost, hideProviderCost, renameMessage } from './edit-answer.ts';
import { encodeMessagesUsage } from './usage.ts';
import { emptyMessage, type MessagesEncoding, encodeStopReason } from './message-frames.ts';

/** One message. A body of this format is passed on with the catalog's model and, if it is reported, the charge. */
export function encodeMessageBody(events: readonly StreamEvent[], encoding: MessagesEncoding): string {
  const verbatim = events.find((event) => event.type === 'verbatim');
  if (verbatim) {
    const charged = events.findLast((event) => event.type === 'usage');
    const renamed = renameMessage(hideProviderCost(verbatim.text), encoding.model);
    return charged ? addCost(renamed, charged.usage) : renamed;
  }
  const { choices, usage } = completeAnswer(events);
  const first = choices.find((choice) => choice.index === 0);
  if (!first) throw new Error('The answer has no finish.');
  const stopReason = encodeStopReason(
    first.finish,
    first.content.some((part) => part.type === 'tool-call'),
  );
  return JSON.stringify({
    ...emptyMessage(encoding),
    content: first.parts.map(encodeBlock),
    stop_reason: stopReason,
    stop_sequence: stopReason === 'stop_sequence' ? first.finish.stopSequence : null,
    usage: encodeMessagesUsage(usage),
  });
}

function encodeBlock(part: CompletePart) {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'reasoning':
      return { type: 'thinking', thinking: part.text, signature: part.signature ?? '' };
    case 'redacted-reasoning':
      return { type: 'redacted_thinking', data: part.data };
    case 'own-block':
      return part.block;
    case 'tool-call':
      return { type: 'tool_use', id: part.id, name: part.name, input: encodeInput(part.arguments) };
    default:
      return part satisfies never;
  }
}

/** Invalid arguments keep their text under the documented key. Otherwise the tool would run without arguments. */
function encodeInput(json: string): object {
  if (json.trim() === '') return {};
  return exactObject(json) ?? { INVALID_JSON: json };
}
