import type { MediaPart, UserPart } from '../../core/message.ts';
import type { WireObject } from '../wire-value.ts';

/** What separates blocks of text that become one: they were written as paragraphs of their own. */
const betweenTexts = '\n\n';

/** What a user says: one string where there is nothing but text, which is all that some providers take. */
export function encodeUserContent(parts: readonly UserPart[]): string | readonly WireObject[] {
  const plain = parts.map(asText).filter((part) => part.type !== 'text' || part.text !== '');
  if (plain.every((part) => part.type === 'text')) return joinedText(plain);
  return plain.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : encodeMedia(part)));
}

/** The text of the parts, media left out. */
export function joinedText(parts: readonly UserPart[]): string {
  const texts = parts.map(asText).flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []));
  return texts.join(betweenTexts);
}

/** Whether a part has no place in a message of text. */
export function isMedia(part: UserPart): boolean {
  return asText(part).type !== 'text';
}

/** The format takes documents of text as text only, below their title. */
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
      // Providers demand a name; the ending tells them what it is.
      return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: url } };
    case 'audio': {
      const format = 'mediaType' in source ? source.mediaType.replace(/^audio\//, '') : '';
      return { type: 'input_audio', input_audio: { data: 'data' in source ? source.data : '', format } };
    }
    default:
      return type satisfies never;
  }
}
