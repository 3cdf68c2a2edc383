import { type AssistantPart, type MediaPart, type Message, paragraphsOf, type UserPart } from '../../chat/message.ts';
import { encodeAudio, urlOf } from '../../media.ts';
import type { WireObject } from '../../wire-value.ts';
import { sealedReasoningIn } from '../reasoning-item.ts';

/** Encodes a conversation as items. Leading instructions are returned separately; later ones stay in their position. */
export function encodeInput(messages: readonly Message[]) {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const leading = first < 0 ? [] : messages.slice(0, first);
  const texts = leading.flatMap(instruction);
  return {
    instructions: texts.length > 0 ? texts.join('\n\n') : undefined,
    input: messages.slice(leading.length).flatMap(encodeMessage),
  };
}

function instruction(message: Message): readonly string[] {
  if (message.role !== 'system') return [];
  const texts = message.content.map(({ text }) => text);
  return message.name ? [`${message.name}: ${texts.join('\n\n')}`] : texts;
}

function encodeMessage(message: Message): readonly WireObject[] {
  switch (message.role) {
    case 'system':
    case 'user': {
      const role = message.role === 'system' ? 'developer' : 'user';
      return [{ type: 'message', role, content: withName(message.content.map(encodePart), message.name) }];
    }
    case 'assistant':
      return message.content.flatMap(encodeAssistantPart);
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.toolCallId, output: encodeOutput(message) }];
    default:
      return message satisfies never;
  }
}

/** The format has no names for participants, so the name is put before the content. */
function withName(parts: readonly WireObject[], name: string | undefined): readonly WireObject[] {
  return name ? [{ type: 'input_text', text: `${name}:` }, ...parts] : parts;
}

function encodeAssistantPart(part: AssistantPart): readonly WireObject[] {
  switch (part.type) {
    case 'text': {
      const content = [{ type: 'output_text', text: part.text, annotations: [] }];
      return part.text === '' ? [] : [{ type: 'message', role: 'assistant', content }];
    }
    case 'reasoning': {
      // A provider accepts only reasoning that it has sealed itself.
      const sealed = sealedReasoningIn(part.signature);
      const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
      return sealed === undefined ? [] : [{ type: 'reasoning', summary, encrypted_content: sealed }];
    }
    case 'redacted-reasoning':
      return [];
    case 'tool-call':
      return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments || '{}' }];
    default:
      return part satisfies never;
  }
}

/** The format has no field for a failed tool call, so the text states the error. */
function encodeOutput({ content, isError }: Extract<Message, { role: 'tool' }>): string | readonly WireObject[] {
  const prefix = isError ? 'Error: ' : '';
  if (content.every((part) => part.type === 'text')) return prefix + paragraphsOf(content);
  return [...(isError ? [{ type: 'input_text', text: 'Error:' }] : []), ...content.map(encodePart)];
}

function encodePart(part: UserPart): WireObject {
  return part.type === 'text' ? { type: 'input_text', text: part.text } : encodeMedia(part);
}

function encodeMedia({ type, source, title }: MediaPart): WireObject {
  const address = urlOf(source);
  switch (type) {
    case 'image':
      return { type: 'input_image', image_url: address, detail: 'auto' };
    case 'document':
      if ('text' in source)
        return { type: 'input_text', text: title === undefined ? source.text : `${title}\n\n${source.text}` };
      if ('url' in source) return { type: 'input_file', file_url: address };
      return { type: 'input_file', filename: title ?? 'document.pdf', file_data: address };
    case 'audio':
      return encodeAudio(source);
    default:
      return type satisfies never;
  }
}
