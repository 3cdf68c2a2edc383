/** One turn of a conversation. Results of tools are turns of their own, each answering one call. */
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

/** How long the provider is asked to keep the prompt up to here in its cache. */
export type CacheLife = '5m' | '1h';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly cache?: CacheLife | undefined;
}

export type UserPart = TextPart | MediaPart;

/** A picture, a document or a sound. */
export interface MediaPart {
  readonly type: 'image' | 'document' | 'audio';
  readonly source: MediaSource;
  /** A document's title or file name. */
  readonly title?: string | undefined;
  readonly cache?: CacheLife | undefined;
}

/** Where a medium is: at an address, in the request as base64, or, for a document, as plain text. */
export type MediaSource =
  | { readonly url: string }
  | { readonly mediaType: string; readonly data: string }
  | { readonly text: string };

export type AssistantPart =
  | TextPart
  /** What the model thought. The signature is the provider's proof of it and goes back unchanged. */
  | { readonly type: 'reasoning'; readonly text: string; readonly signature?: string | undefined }
  /** Thoughts only the provider can read. */
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

/** The words of a turn, without its media, thoughts and calls. */
export function textOf(content: readonly (UserPart | AssistantPart)[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The words of blocks that become one text, a blank line between them: they were written as paragraphs of their own. */
export function paragraphsOf(content: readonly UserPart[]): string {
  return content.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : [])).join('\n\n');
}

/** What the model has said so far, as a turn. */
export function assistantTurn(text: string): Message {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}
