import {
  type AssistantPart,
  type Message,
  type UserPart,
  textOf,
  type MediaPart,
  paragraphsOf,
} from '../../chat/message.ts';
import { encodeAudio, urlOf } from '../../media.ts';
import type { WireObject } from '../../wire-value.ts';
import { encodeCallSignature } from './call-signature.ts';

type MessageOf<Role extends Message['role']> = Extract<Message, { role: Role }>;

/** Tool results hold only text and directly follow their calls. Their media go into the next user message. */
export function encodeConversation(
  messages: readonly Message[],
  { reasoningReplay }: { readonly reasoningReplay: boolean },
): readonly WireObject[] {
  const encoded: WireObject[] = [];
  let pendingMedia: readonly UserPart[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      encoded.push(encodeResult(message));
      pendingMedia = [...pendingMedia, ...labelledMedia(message)];
      continue;
    }
    if (message.role === 'user') {
      encoded.push(withName(message, encodeUserContent([...pendingMedia, ...message.content])));
    } else {
      if (pendingMedia.length > 0) encoded.push({ role: 'user', content: encodeUserContent(pendingMedia) });
      if (message.role === 'system') encoded.push(withName(message, joinedText(message.content)));
      else encoded.push(encodeAssistant(message, reasoningReplay));
    }
    pendingMedia = [];
  }
  if (pendingMedia.length > 0) encoded.push({ role: 'user', content: encodeUserContent(pendingMedia) });
  return encoded;
}

function withName({ role, name }: MessageOf<'user' | 'system'>, content: string | readonly WireObject[]): WireObject {
  return { role, content, ...(name !== undefined && { name }) };
}

/** The format cannot mark a failed tool call, so the text gets a prefix that models recognise from logs. */
function encodeResult({ toolCallId, content, isError }: MessageOf<'tool'>): WireObject {
  const text = joinedText(content);
  return { role: 'tool', tool_call_id: toolCallId, content: isError ? `Error: ${text}` : text };
}

function labelledMedia({ toolCallId, content }: MessageOf<'tool'>): readonly UserPart[] {
  const media = content.filter((part) => asText(part).type !== 'text');
  if (media.length === 0) return [];
  return [{ type: 'text', text: `From the result of the tool call ${toolCallId}:` }, ...media];
}

function encodeAssistant({ content }: MessageOf<'assistant'>, reasoningReplay: boolean): WireObject {
  const text = textOf(content);
  const calls = content.filter((part) => part.type === 'tool-call').map(encodeCall);
  const reasoning = content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoningReplay && reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function encodeCall(part: Extract<AssistantPart, { type: 'tool-call' }>): WireObject {
  const call = { name: part.name, arguments: part.arguments };
  return { id: part.id, type: 'function', function: call, ...encodeCallSignature(part.signature) };
}

/** The content of a user message. Text alone becomes one string, since some providers accept nothing else. */
function encodeUserContent(parts: readonly UserPart[]): string | readonly WireObject[] {
  const converted = parts.map(asText).filter((part) => part.type !== 'text' || part.text !== '');
  if (converted.every((part) => part.type === 'text')) return joinedText(converted);
  return converted.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : encodeMedia(part)));
}

function joinedText(parts: readonly UserPart[]): string {
  return paragraphsOf(parts.map(asText));
}

/** The format accepts text documents only as text; the title comes first. */
function asText(part: UserPart): UserPart {
  if (part.type === 'text' || !('text' in part.source)) return part;
  const { text } = part.source;
  return { type: 'text', text: part.title === undefined ? text : `${part.title}\n\n${text}` };
}

function encodeMedia({ type, source, title }: MediaPart): WireObject {
  const url = urlOf(source);
  switch (type) {
    case 'image':
      return { type: 'image_url', image_url: { url } };
    case 'document':
      // Providers require a file name and read the type from its extension.
      return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: url } };
    case 'audio':
      return encodeAudio(source);
    default:
      return type satisfies never;
  }
}
