import type { MediaSource } from './chat/message.ts';
import { nonEmptyString, objectOf, stringOf, type WireObject } from './wire-value.ts';

/** A `data:` URL contains the media itself. */
export function sourceAt(url: string): MediaSource {
  const inline = /^data:([^;,]+)(?:;[^;,]+)*;base64,/i.exec(url.slice(0, 256));
  return inline ? { mediaType: inline[1] ?? '', data: url.slice(inline[0].length) } : { url };
}

export function urlOf(source: MediaSource): string {
  if ('url' in source) return source.url;
  return 'data' in source ? `data:${source.mediaType};base64,${source.data}` : '';
}

/** The `input_audio` of a part: base64 data, and a format such as `wav`. */
export function decodeAudio(value: unknown): MediaSource | undefined {
  const { data, format } = objectOf(value) ?? {};
  const bytes = nonEmptyString(data);
  return bytes === undefined ? undefined : { mediaType: `audio/${nonEmptyString(format) ?? 'wav'}`, data: bytes };
}

export function encodeAudio(source: MediaSource): WireObject {
  const { mediaType, data } = 'data' in source ? source : { mediaType: '', data: '' };
  return { type: 'input_audio', input_audio: { data, format: mediaType.replace(/^audio\//, '') } };
}

/** Whether the data of a file is text, so that its bytes bound its tokens. */
export function isPlainText(fileData: unknown): boolean {
  return /^data:text\/plain[;,]/i.test(stringOf(fileData).slice(0, 64));
}
