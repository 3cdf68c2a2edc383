import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import type { PassThroughEndpoint, Unit } from 'chat-formats/chat/pass-through-endpoint.ts';

/** A request whose body is forwarded unchanged, except for the model's name. */
export interface PassThroughRequest {
  readonly endpoint: PassThroughEndpoint;
  /** The path below the provider's base URL. */
  readonly path: string;
  /** The id or alias that the client sent. */
  readonly model: string;
  readonly userId: string | undefined;
  readonly contentType: string;
  /** Size of the body as it arrived. */
  readonly bytes: number;
  /** The body with the provider's name of the model. */
  encode(model: string): string | Buffer;
  /** Whether an answer of this type is forwarded as it arrives, before it is complete. */
  streams(contentType: string): boolean;
  /** Splits the request into several calls if it has more inputs than the provider accepts at once. */
  readonly split?: (inputsMax: number) => SplitCall | undefined;
}

/** One request that is sent as several calls. */
export interface SplitCall {
  bodies(model: string): readonly string[];
  /** Adds the answer to one of the calls. Throws if it is invalid, which sends the request to the next provider. */
  take(answer: PassThroughAnswer, index: number): void;
  join(): PassThroughAnswer;
}

/** A provider's complete answer, forwarded unchanged. */
export interface PassThroughAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** An answer that is forwarded as it arrives: `verbatim` events, whose text has one character per byte. */
export interface PassThroughStream {
  readonly contentType: string;
  readonly flow: EventFlow;
}

/** The usage of a pass-through call; undefined numbers are unknown so far, or do not apply. */
export interface PassThroughUsage {
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  readonly units: Readonly<Partial<Record<Unit, number>>>;
}
