/** One message of a conversation. A tool result is a message of its own and answers one call. */
export type Message =
  | { readonly role: 'system'; readonly content: readonly TextPart[]; readonly name?: string | undefined }
  | { readonly role: 'user'; readonly content: readonly UserPart[]; readonly name?: string | undefined }
  | { readonly role: 'assistant'; readonly content: readonly AssistantPart[] }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: readonly UserPart[];
      readonly isError: boolean;
      readonly cache?: CacheLife | undefined;
    };

/** How long the provider should cache the prompt up to here. */
export type CacheLife = '5m' | '1h';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly cache?: CacheLife | undefined;
}

export type UserPart = TextPart | MediaPart;

/** An image, a document or audio. */
export interface MediaPart {
  readonly type: 'image' | 'document' | 'audio';
  readonly source: MediaSource;
  /** A document's title or file name. */
  readonly title?: string | undefined;
  readonly cache?: CacheLife | undefined;
}

/** The source of a medium: a URL, base64 data in the request, or, for a document, text. */
export type MediaSource =
  | { readonly url: string }
  | { readonly mediaType: string; readonly data: string }
  | { readonly text: string };

export type AssistantPart =
  | TextPart
  /** Reasoning of the model. The signature is the provider's proof of it and is returned unchanged. */
  | { readonly type: 'reasoning'; readonly text: string; readonly signature?: string | undefined }
  /** Reasoning that only the provider can read. */
  | { readonly type: 'redacted-reasoning'; readonly data: string }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      /** JSON text, as the model wrote it. */
      readonly arguments: string;
      readonly signature?: string | undefined;
      readonly cache?: CacheLife | undefined;
    };

/** The text of a message, without media, reasoning and calls. */
export function textOf(content: readonly (UserPart | AssistantPart)[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Joins text blocks with blank lines between them, because they were written as separate paragraphs. */
export function paragraphsOf(content: readonly UserPart[]): string {
  return content.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : [])).join('\n\n');
}

/** An assistant message with the model's text so far. */
export function assistantTurn(text: string): Message {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}
