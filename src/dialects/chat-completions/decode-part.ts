import type { MediaSource, TextPart, UserPart } from '../../core/message.ts';
import { objectOf, type WireObject, wordOf } from '../wire-value.ts';

/** A part of a message's content, or nothing when it is of a kind only the provider may know. */
export function decodePart(part: WireObject): UserPart | undefined {
  switch (part['type']) {
    case 'text':
      return { type: 'text', text: wordOf(part['text']) ?? '' };
    case 'image_url':
      return media('image', sourceAt(wordOf(objectOf(part['image_url'])?.['url'])));
    case 'file': {
      const file = objectOf(part['file']);
      return media('document', sourceAt(wordOf(file?.['file_data'])), wordOf(file?.['filename']));
    }
    case 'input_audio': {
      const audio = objectOf(part['input_audio']);
      const data = wordOf(audio?.['data']);
      return media('audio', data === undefined ? undefined : { mediaType: `audio/${wordOf(audio?.['format'])}`, data });
    }
    default:
      return undefined;
  }
}

export function isText(part: UserPart): part is TextPart {
  return part.type === 'text';
}

function media(
  type: 'image' | 'document' | 'audio',
  source: MediaSource | undefined,
  title?: string | undefined,
): UserPart | undefined {
  return source && { type, source, ...(title !== undefined && { title }) };
}

/** A `data:` address holds the medium itself. */
function sourceAt(url: string | undefined): MediaSource | undefined {
  if (url === undefined) return undefined;
  const inline = /^data:([^;,]+)(?:;[^;,]+)*;base64,/i.exec(url.slice(0, 256));
  return inline ? { mediaType: inline[1] ?? '', data: url.slice(inline[0].length) } : { url };
}
