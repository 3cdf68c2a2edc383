import type { MediaPart, MediaSource, TextPart, UserPart } from '../../../core/chat/message.ts';
import { cacheOf } from '../../cache-control.ts';
import { objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/** Decodes a part of a message's content. Returns `undefined` for a kind that only the provider may support. */
export function decodePart(part: WireObject): UserPart | undefined {
  switch (part['type']) {
    case 'text':
      return { type: 'text', text: nonEmptyString(part['text']) ?? '', ...cacheOf(part) };
    case 'image_url': {
      // Some clients send the URL without an object around it.
      const address = nonEmptyString(part['image_url']) ?? nonEmptyString(objectOf(part['image_url'])?.['url']);
      return media('image', sourceAt(address), cacheOf(part));
    }
    case 'file': {
      const file = objectOf(part['file']);
      const title = nonEmptyString(file?.['filename']);
      return media('document', sourceAt(nonEmptyString(file?.['file_data'])), {
        ...cacheOf(part),
        ...(title && { title }),
      });
    }
    case 'input_audio': {
      const audio = objectOf(part['input_audio']);
      const data = nonEmptyString(audio?.['data']);
      const mediaType = `audio/${nonEmptyString(audio?.['format']) ?? 'wav'}`;
      return media('audio', data === undefined ? undefined : { mediaType, data }, cacheOf(part));
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
  more: Pick<MediaPart, 'title' | 'cache'>,
): UserPart | undefined {
  return source && { type, source, ...more };
}

/** A `data:` URL contains the media itself. */
function sourceAt(url: string | undefined): MediaSource | undefined {
  if (url === undefined) return undefined;
  const inline = /^data:([^;,]+)(?:;[^;,]+)*;base64,/i.exec(url.slice(0, 256));
  return inline ? { mediaType: inline[1] ?? '', data: url.slice(inline[0].length) } : { url };
}
