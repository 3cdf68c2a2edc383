import type { MediaPart, MediaSource, TextPart, UserPart } from '../../core/message.ts';
import { type FieldPath, invalidRequest } from '../invalid-request.ts';
import type { WireObject } from '../wire-value.ts';
import { mark, type WireBlock } from './wire-block.ts';

/** The blocks of what a user or a tool says. Throws for sounds, which the format has no block for. */
export function encodeUserParts(parts: readonly UserPart[], path: FieldPath): readonly WireBlock[] {
  return parts.flatMap((part, at) => {
    if (part.type === 'text') return encodeText(part);
    if (part.type !== 'audio') return encodeMedia(part);
    const rule = 'must not be a sound: the format of the model’s provider has no place for one';
    throw invalidRequest([{ path: [...path, 'content', at], rule }]);
  });
}

/** The format refuses blocks of nothing but white space, which say nothing anyway. */
export function encodeText({ text, cache }: TextPart): readonly WireBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...mark(cache) }];
}

function encodeMedia({ type, source, title, cache }: MediaPart): WireBlock {
  return { type, source: encodeSource(source), ...(title !== undefined && { title }), ...mark(cache) };
}

function encodeSource(source: MediaSource): WireObject {
  if ('url' in source) return { type: 'url', url: source.url };
  if ('text' in source) return textSource(source.text);
  const { mediaType, data } = source;
  // The format takes documents of text as text only.
  if (mediaType.startsWith('text/')) return textSource(Buffer.from(data, 'base64').toString());
  return { type: 'base64', media_type: mediaType, data };
}

function textSource(text: string): WireObject {
  return { type: 'text', media_type: 'text/plain', data: text };
}
