import type { Message, TextPart, UserPart, AssistantPart } from '../../chat/message.ts';
import { cacheOf } from '../../cache-control.ts';
import type { WireMessage } from './message-schema.ts';
import { isObject, listOf, type WireObject, nonEmptyString, objectOf, stringOf } from '../../wire-value.ts';
import { decodeAudio, sourceAt } from '../../media.ts';
import { decodeCallSignature } from './call-signature.ts';

/** Fields that core does not have are left out: only providers of the same format get them. */
export function decodeMessage(message: WireMessage): Message {
  const name = message.name ?? undefined;
  switch (message.role) {
    case 'system':
    case 'developer':
      return {
        role: 'system',
        content: withCacheOf(
          message,
          decodeContent(message.content).filter((part) => part.type === 'text'),
        ),
        name,
      };
    case 'user':
      return { role: 'user', content: withCacheOf(message, decodeContent(message.content)), name };
    case 'assistant':
      return { role: 'assistant', content: decodeAssistant(message) };
    case 'tool':
      return {
        role: 'tool',
        toolCallId: message.tool_call_id,
        content: decodeContent(message.content),
        isError: false,
        ...cacheOf(message),
      };
    default:
      return message satisfies never;
  }
}

function decodeContent(content: WireMessage['content']): readonly UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content?.flatMap((part) => decodePart(part) ?? []) ?? [];
}

/** A cache marker on a message applies to its last part. */
function withCacheOf<Part extends UserPart | TextPart>(message: WireMessage, parts: readonly Part[]): readonly Part[] {
  const marker = cacheOf(message);
  if (!marker.cache) return parts;
  return parts.map((part, at) => (at === parts.length - 1 ? { ...marker, ...part } : part));
}

type WireAssistant = Extract<WireMessage, { role: 'assistant' }>;

/** The reasoning, text and calls of an earlier answer, in the order in which models produce them. */
function decodeAssistant(message: WireAssistant): readonly AssistantPart[] {
  // The model's refusal counts as its text.
  const refusal = { type: 'text' as const, text: stringOf(message['refusal']) };
  const texts = withCacheOf(
    message,
    [...textsOf(message.content), refusal].filter(({ text }) => text !== ''),
  );
  return [...reasoningOf(message), ...texts, ...(message.tool_calls?.map(decodeToolCall) ?? [])];
}

function textsOf(content: WireAssistant['content']): readonly TextPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content ?? []).flatMap((part) => {
    if (part.type !== 'text' && part.type !== 'refusal') return [];
    return [{ type: 'text' as const, text: part.text ?? stringOf(part['refusal']), ...cacheOf(part) }];
  });
}

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

/** Decodes a part of a message's content. Returns `undefined` for a kind that only the provider may support. */
export function decodePart(part: WireObject): UserPart | undefined {
  const cache = cacheOf(part);
  switch (part.type) {
    case 'text':
      return { type: 'text', text: stringOf(part.text), ...cache };
    case 'image_url': {
      // Some clients send the URL without an object around it.
      const url = nonEmptyString(part.image_url) ?? nonEmptyString(objectOf(part.image_url)?.url);
      return url === undefined ? undefined : { type: 'image', source: sourceAt(url), ...cache };
    }
    case 'file': {
      const file = objectOf(part.file);
      const url = nonEmptyString(file?.file_data);
      const title = nonEmptyString(file?.filename);
      return url === undefined
        ? undefined
        : { type: 'document', source: sourceAt(url), ...cache, ...(title && { title }) };
    }
    case 'input_audio': {
      const source = decodeAudio(part.input_audio);
      return source && { type: 'audio', source, ...cache };
    }
    default:
      return undefined;
  }
}
