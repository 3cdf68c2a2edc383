import type { CacheLife, MediaSource, TextPart, UserPart } from '../../../core/chat/message.ts';
import { cacheOf } from '../../cache-control.ts';
import { decodeAudio, sourceAt } from '../../media.ts';
import { stringOf, isObject, listOf, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/** A string, or parts of a user message or tool result. Parts that core cannot represent are dropped. */
export function decodeUserContent(content: unknown): readonly UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content)
    .filter(isObject)
    .flatMap((part) => decodePart(part) ?? []);
}

export function decodeText(content: unknown): readonly TextPart[] {
  return decodeUserContent(content).filter((part) => part.type === 'text');
}

/** Decodes a part of a message. Returns undefined if its type is unknown or only a provider could read it. */
export function decodePart(part: WireObject): UserPart | undefined {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return { type: 'text', text: stringOf(part.text), ...markOf(part) };
    case 'refusal':
      return { type: 'text', text: stringOf(part.refusal), ...markOf(part) };
    case 'input_image': {
      const address = nonEmptyString(part.image_url) ?? nonEmptyString(objectOf(part.image_url)?.url);
      return address === undefined ? undefined : { type: 'image', source: sourceAt(address), ...markOf(part) };
    }
    case 'input_file':
      return decodeFile(part);
    case 'input_audio': {
      const url = nonEmptyString(part.audio_url);
      const source = url === undefined ? decodeAudio(part.input_audio) : sourceAt(url);
      return source && { type: 'audio', source };
    }
    default:
      return undefined;
  }
}

function decodeFile(part: WireObject): UserPart | undefined {
  const title = nonEmptyString(part.filename);
  const url = nonEmptyString(part.file_url);
  const data = nonEmptyString(part.file_data);
  const source = url === undefined ? data && fileSource(data, title) : { url };
  if (!source) return undefined;
  return { type: 'document', source, ...(title !== undefined && { title }), ...markOf(part) };
}

/** Some clients send only the bytes. The extension of the file name then determines their type. */
function fileSource(data: string, title: string | undefined): MediaSource {
  if (/^data:/i.test(data)) return sourceAt(data);
  return { mediaType: /\.(txt|md|csv)$/i.test(title ?? '') ? 'text/plain' : 'application/pdf', data };
}

/** Clients have two fields to request that the provider caches the prompt up to this part. */
function markOf(part: WireObject): { readonly cache?: CacheLife } {
  return isObject(part.prompt_cache_breakpoint) ? { cache: '5m' } : cacheOf(part);
}
