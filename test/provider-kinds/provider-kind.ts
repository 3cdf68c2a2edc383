import type { ChatRequest } from '../../src/core/chat-request.ts';

/** One kind of provider: how an upstream of it is configured, and how it says things in its own protocol. */
export interface ProviderKind {
  readonly name: string;
  /** Its entry of `upstreams:` beyond name, address and timeouts. */
  readonly entry: Readonly<Record<string, unknown>> & { readonly kind: string };
  readonly model: string;
  /** Where requests for the model go, below the base address. */
  readonly path: string;
  readonly contentType: string;
  /** What was asked for, where that decides how the answer is read. */
  readonly request?: ChatRequest;
  say(words: readonly string[], counts?: Counts): Speech;
  /** An error where a part of the answer belongs, in these words where the protocol has room for them. */
  fail(error: SpokenError, message?: string): Buffer;
  /** A frame whose inside is nothing the protocol knows. */
  readonly garbage: Buffer;
  /** Says nothing but that the connection stands, where the protocol has a way to do so. */
  readonly sign?: Buffer;
  /** What a 400 looks like, and the code it tells. */
  readonly refusal: {
    readonly body: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly code: string | undefined;
  };
  /** The answer as one JSON body. */
  whole?(text: string, counts: Counts): unknown;
}

/** A whole answer of some words, in the parts that faults fall between. */
export interface Speech {
  /** What comes before the first word. */
  readonly begin: Buffer;
  readonly words: readonly Buffer[];
  /** Why it ends and what it used. */
  readonly finish: Buffer;
  /** The mark behind it; empty in a protocol whose finish is its end. */
  readonly end: Buffer;
}

/** What the provider says it used: whatever it likes, since providers do. Nothing is said without it. */
export interface Counts {
  readonly prompt: unknown;
  readonly completion: unknown;
  readonly cached?: unknown;
}

/** What an error is about; each provider has its own words for it. */
export type SpokenError = 'overloaded' | 'invalid';

/** All frames of an answer in a row. */
export function bytesOf({ begin, words, finish, end }: Speech): Buffer {
  return Buffer.concat([begin, ...words, finish, end]);
}

/** Frames of an event stream, one an event. */
export function frames(...events: readonly unknown[]): Buffer {
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

export interface TypedEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The same with the name of each event, which is its type. */
export function namedFrames(...events: readonly TypedEvent[]): Buffer {
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

export const doneFrame = Buffer.from('data: [DONE]\n\n');
export const nothing = Buffer.alloc(0);
export const brokenFrame = Buffer.from('data: {"broken\n\n');
export const comment = Buffer.from(': still here\n\n');
