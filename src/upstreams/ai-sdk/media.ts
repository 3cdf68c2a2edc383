import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type { MediaPart } from '../../core/chat/message.ts';
import type { MediaRules } from './bridge-kind.ts';
import { unsupported } from './fitted-request.ts';

type EncodedMedia = LanguageModelV4TextPart | LanguageModelV4FilePart;

/** Encodes a picture, document or audio for this provider. Never fetches an address. */
export function encodeMedia(part: MediaPart, rules: MediaRules): EncodedMedia {
  const medium = mediumOf(part);
  const type = medium.mediaType;
  if ('url' in medium) {
    if (!rules.addresses.includes(part.type))
      throw unsupported(fieldOf(part), 'Send it as base64 data instead of an address.');
    return filePart(part, { type: 'url', url: medium.url }, type);
  }
  const text = 'text' in medium ? medium.text : isText(type) ? fromBase64(medium.data) : undefined;
  if (part.type === 'document' && text !== undefined) return textDocument(part, text, type, rules);
  if ('text' in medium) throw unsupported(fieldOf(part), 'Only a document can be given as text.');
  if (!takesData(part.type, type, rules)) throw unsupported(`${fieldOf(part)} of type ${type}`, 'Leave it out.');
  return filePart(part, { type: 'data', data: medium.data }, type);
}

type Medium =
  | { readonly url: URL; readonly mediaType: string }
  | { readonly data: string; readonly mediaType: string }
  | { readonly text: string; readonly mediaType: string };

function mediumOf({ type, source }: MediaPart): Medium {
  if ('text' in source) return { text: source.text, mediaType: 'text/plain' };
  if ('data' in source) return { data: source.data, mediaType: source.mediaType.toLowerCase() };
  const [, mediaType = defaultTypes[type], data] = dataAddress.exec(source.url) ?? [];
  if (data !== undefined) return { data, mediaType: mediaType.toLowerCase() };
  const url = URL.parse(source.url);
  if (!url || !/^(https?|gs|s3):$/.test(url.protocol)) {
    throw unsupported(fieldOf({ type, source }), 'Its address must begin with https:// or data:.');
  }
  return { url, mediaType: typeByName(url.pathname) ?? defaultTypes[type] };
}

const dataAddress = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=-]+)*;base64,(.*)$/s;

/** The media type if an address has no extension. */
const defaultTypes = { image: 'image/jpeg', document: 'application/pdf', audio: 'audio/mpeg' } as const;

/** Some providers need the media type of an address, and clients do not send it. */
function typeByName(path: string): string | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return typesByEnding[ending];
}

const typesByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
};

function takesData(type: MediaPart['type'], mediaType: string, { pdf, audio }: MediaRules): boolean {
  if (type === 'image') return mediaType.startsWith('image/');
  return type === 'document' ? pdf : (audio?.test(mediaType) ?? false);
}

function isText(mediaType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|javascript)$/.test(mediaType);
}

function fromBase64(data: string): string {
  return Buffer.from(data, 'base64').toString('utf8');
}

function textDocument(part: MediaPart, text: string, mediaType: string, rules: MediaRules): EncodedMedia {
  if (rules.textDocument === 'file') return filePart(part, { type: 'text', text }, mediaType);
  return { type: 'text', text: part.title === undefined ? text : `${part.title}\n\n${text}` };
}

function filePart(part: MediaPart, data: LanguageModelV4FilePart['data'], mediaType: string): LanguageModelV4FilePart {
  return { type: 'file', data, mediaType, ...(part.title !== undefined && { filename: part.title }) };
}

function fieldOf({ type }: MediaPart): string {
  return `A message’s ${type === 'image' ? 'picture' : type === 'audio' ? 'sound' : 'document'}`;
}
