import type { MediaPart, UserPart } from '../../../core/chat/message.ts';
import type { WireObject } from '../../wire-value.ts';

/** Separates text blocks that are joined into one: each is a paragraph. */
const textSeparator = '\n\n';

/** The content of a user message. Text alone becomes one string, since some providers accept nothing else. */
export function encodeUserContent(parts: readonly UserPart[]): string | readonly WireObject[] {
  const converted = parts.map(asText).filter((part) => part.type !== 'text' || part.text !== '');
  if (converted.every((part) => part.type === 'text')) return joinedText(converted);
  return converted.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : encodeMedia(part)));
}

/** The text of the parts, without media. */
export function joinedText(parts: readonly UserPart[]): string {
  const texts = parts.map(asText).flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []));
  return texts.join(textSeparator);
}

/** Whether a part cannot be written as text. */
export function isMedia(part: UserPart): boolean {
  return asText(part).type !== 'text';
}

/** The format accepts text documents only as text; the title comes first. */
function asText(part: UserPart): UserPart {
  if (part.type === 'text' || !('text' in part.source)) return part;
  const { text } = part.source;
  return { type: 'text', text: part.title === undefined ? text : `${part.title}\n\n${text}` };
}

function encodeMedia({ type, source, title }: MediaPart): WireObject {
  const url = 'url' in source ? source.url : 'data' in source ? `data:${source.mediaType};base64,${source.data}` : '';
  switch (type) {
    case 'image':
      return { type: 'image_url', image_url: { url } };
    case 'document':
      // Providers require a file name and read the type from its extension.
      return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: url } };
    case 'audio': {
      const format = 'mediaType' in source ? source.mediaType.replace(/^audio\//, '') : '';
      return { type: 'input_audio', input_audio: { data: 'data' in source ? source.data : '', format } };
    }
    default:
      return type satisfies never;
  }
}
