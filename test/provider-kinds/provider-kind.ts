import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';

/** One kind of provider: the configuration of its upstream, and its answers in its own protocol. */
export interface ProviderKind {
  readonly name: string;
  /** Its entry of `upstreams:`, without name, address and timeouts. */
  readonly entry: Readonly<Record<string, unknown>> & { readonly kind: string };
  readonly model: string;
  /** The path of requests for the model, relative to the base URL. */
  readonly path: string;
  readonly contentType: string;
  /** The request, if the parsing of the answer depends on it. */
  readonly request?: ChatRequest;
  /** An answer with these words. Without `counts` it reports no usage. */
  answer(words: readonly string[], counts?: Counts): SplitAnswer;
  /** An error in the stream, with this message if the protocol has a field for it. */
  fail(error: ProviderError, message?: string): Buffer;
  /** A malformed frame. */
  readonly malformedEvent: Buffer;
  /** A keep-alive frame, if the protocol has one. */
  readonly sign?: Buffer;
  /** The body of a 400, and its error code. */
  readonly refusal: {
    readonly body: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly code: string | undefined;
  };
  /** The answer as one JSON body. */
  jsonBody?(text: string, counts: Counts): unknown;
}

/** A complete answer, split at the points where faults are inserted. */
export interface SplitAnswer {
  /** The frames before the first word. */
  readonly begin: Buffer;
  readonly words: readonly Buffer[];
  /** The finish reason and the usage. */
  readonly finish: Buffer;
  /** The terminator. Empty in a protocol that ends with the finish reason. */
  readonly end: Buffer;
}

/** The usage that the provider reports. The values can be invalid. */
export interface Counts {
  readonly prompt: unknown;
  readonly completion: unknown;
  readonly cached?: unknown;
}

/** An error class. Each provider has its own codes for it. */
export type ProviderError = 'overloaded' | 'invalid';

/** All frames of an answer. */
export function bytesOf({ begin, words, finish, end }: SplitAnswer): Buffer {
  return Buffer.concat([begin, ...words, finish, end]);
}

/** Frames of an event stream, one per event. */
export function frames(...events: readonly unknown[]): Buffer {
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

export interface TypedEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Frames with the type of each event as its name. */
export function namedFrames(...events: readonly TypedEvent[]): Buffer {
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

export const doneFrame = Buffer.from('data: [DONE]\n\n');
export const brokenFrame = Buffer.from('data: {"broken\n\n');
export const comment = Buffer.from(': still here\n\n');
