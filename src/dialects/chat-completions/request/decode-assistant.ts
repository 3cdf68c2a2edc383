import type { AssistantPart, TextPart } from '../../../core/chat/message.ts';
import { cacheOf } from '../../cache-control.ts';
import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { decodeCallSignature } from './call-signature.ts';
import type { WireMessage } from './message-schema.ts';

type WireAssistant = Extract<WireMessage, { role: 'assistant' }>;

/** The reasoning, text and calls of an earlier answer, in the order in which models produce them. */
export function decodeAssistant(message: WireAssistant): readonly AssistantPart[] {
  const textParts = [...textsOf(message.content), ...refusalOf(message)].filter(({ text }) => text !== '');
  const marker = cacheOf(message);
  const marked = textParts.map((part, at) => (at === textParts.length - 1 ? { ...marker, ...part } : part));
  return [...reasoningOf(message), ...marked, ...(message.tool_calls?.map(decodeToolCall) ?? [])];
}

function textsOf(content: WireAssistant['content']): readonly TextPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content ?? []).flatMap((part) => {
    if (part.type !== 'text' && part.type !== 'refusal') return [];
    return [{ type: 'text' as const, text: part.text ?? nonEmptyString(part['refusal']) ?? '', ...cacheOf(part) }];
  });
}

/** The model's refusal counts as its text. */
function refusalOf(message: WireAssistant): readonly TextPart[] {
  return [{ type: 'text', text: nonEmptyString(message['refusal']) ?? '' }];
}

/** The reasoning with its signatures if the client kept them, otherwise the text alone. */
function reasoningOf(message: WireAssistant): readonly AssistantPart[] {
  const signed = listOf(message['reasoning_details']).filter(isObject).flatMap(decodeDetail);
  if (signed.length > 0) return signed;
  const text = nonEmptyString(message['reasoning_content']) ?? nonEmptyString(message['reasoning']);
  return text === undefined ? [] : [{ type: 'reasoning', text }];
}

function decodeDetail(detail: WireObject): readonly AssistantPart[] {
  const data = nonEmptyString(detail.data);
  if (detail.type === 'reasoning.encrypted' && data !== undefined) return [{ type: 'redacted-reasoning', data }];
  const text = nonEmptyString(detail.text) ?? nonEmptyString(detail.summary);
  const signature = nonEmptyString(detail.signature);
  if (text === undefined && signature === undefined) return [];
  return [{ type: 'reasoning', text: text ?? '', ...(signature !== undefined && { signature }) }];
}

function decodeToolCall(call: NonNullable<WireAssistant['tool_calls']>[number]): AssistantPart {
  const signature = decodeCallSignature(call);
  return {
    type: 'tool-call',
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
    ...(signature !== undefined && { signature }),
    ...cacheOf(call),
  };
}
