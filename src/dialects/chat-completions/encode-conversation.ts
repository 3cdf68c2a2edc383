import type { AssistantPart, Message, UserPart } from '../../core/message.ts';
import { textOf } from '../../core/message.ts';
import type { WireObject } from '../wire-value.ts';
import { encodeCallSignature } from './call-signature.ts';
import { encodeUserContent, isMedia, joinedText } from './encode-part.ts';

type MessageOf<Role extends Message['role']> = Extract<Message, { role: Role }>;

/**
 * Encodes a conversation. In this format tool results hold only text and must directly follow their calls. So images
 * and documents of results go into the next user message, after the last result.
 */
export function encodeConversation(
  messages: readonly Message[],
  { reasoningReplay }: { readonly reasoningReplay: boolean },
): readonly WireObject[] {
  const encoded: WireObject[] = [];
  let shown: readonly UserPart[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      encoded.push(encodeResult(message));
      shown = [...shown, ...attachments(message)];
      continue;
    }
    if (message.role === 'user') {
      encoded.push(named(message, encodeUserContent([...shown, ...message.content])));
      shown = [];
      continue;
    }
    if (shown.length > 0) encoded.push({ role: 'user', content: encodeUserContent(shown) });
    shown = [];
    if (message.role === 'system') encoded.push(named(message, joinedText(message.content)));
    else encoded.push(encodeAssistant(message, reasoningReplay));
  }
  if (shown.length > 0) encoded.push({ role: 'user', content: encodeUserContent(shown) });
  return encoded;
}

function named({ role, name }: MessageOf<'user' | 'system'>, content: string | readonly WireObject[]): WireObject {
  return { role, content, ...(name !== undefined && { name }) };
}

/** The format cannot mark a failed tool call, so the text does, with a prefix that models know from logs. */
function encodeResult({ toolCallId, content, isError }: MessageOf<'tool'>): WireObject {
  const text = joinedText(content);
  const said = isError ? `Error: ${text}` : text;
  return { role: 'tool', tool_call_id: toolCallId, content: said };
}

/** The media of a result, after a text that names the tool call. */
function attachments({ toolCallId, content }: MessageOf<'tool'>): readonly UserPart[] {
  const media = content.filter(isMedia);
  if (media.length === 0) return [];
  return [{ type: 'text', text: `From the result of the tool call ${toolCallId}:` }, ...media];
}

function encodeAssistant({ content }: MessageOf<'assistant'>, reasoningReplay: boolean): WireObject {
  const text = textOf(content);
  const calls = content.filter((part) => part.type === 'tool-call').map(encodeCall);
  const thoughts = content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoningReplay && thoughts !== '' && { reasoning_content: thoughts }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function encodeCall(part: Extract<AssistantPart, { type: 'tool-call' }>): WireObject {
  const called = { name: part.name, arguments: part.arguments };
  return { id: part.id, type: 'function', function: called, ...encodeCallSignature(part.signature) };
}
