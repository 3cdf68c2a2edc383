import type { MediaPart, MediaSource, TextPart, UserPart } from '../../../core/chat/message.ts';
import { type FieldPath, invalidRequest } from '../../invalid-request.ts';
import type { WireObject } from '../../wire-value.ts';
import { mark, type WireBlock } from './wire-block.ts';

/** Encodes the content of a user message or tool result. Throws for audio, which the format does not support. */
export function encodeUserParts(parts: readonly UserPart[], path: FieldPath): readonly WireBlock[] {
  return parts.flatMap((part, at) => {
    if (part.type === 'text') return encodeText(part);
    if (part.type !== 'audio') return encodeMedia(part);
    const rule = 'must not be audio: the format of the model’s provider does not support it';
    throw invalidRequest([{ path: [...path, 'content', at], rule }]);
  });
}

/** The format rejects blank text blocks, so they are left out. */
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
  // The format accepts text documents only as text.
  if (mediaType.startsWith('text/')) return textSource(Buffer.from(data, 'base64').toString());
  return { type: 'base64', media_type: mediaType, data };
}

function textSource(text: string): WireObject {
  return { type: 'text', media_type: 'text/plain', data: text };
}
