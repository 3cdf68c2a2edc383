import type { EventFlow } from './event-flow.ts';
import type { PassThroughEndpoint, Unit } from './pass-through-endpoint.ts';

/** A body that goes to a provider as the client wrote it, but for the model's name. */
export interface PassThroughRequest {
  readonly endpoint: PassThroughEndpoint;
  /** Where it goes, below the provider's base address. */
  readonly path: string;
  /** The id or alias as the client wrote it. */
  readonly model: string;
  readonly userId: string | undefined;
  readonly contentType: string;
  /** Size of the body as it arrived. */
  readonly bytes: number;
  /** The body for a provider that has the model under this name. */
  encode(model: string): string | Buffer;
  /** Whether an answer of this kind goes to the client as it comes, before anybody has seen all of it. */
  streams(contentType: string): boolean;
  /** The same as several calls, where a provider takes no more than so many inputs at once and there are more. */
  readonly split?: (inputsMax: number) => SplitCall | undefined;
}

/** One call that is made as several. */
export interface SplitCall {
  bodies(model: string): readonly string[];
  /** Takes the answer to one of them; throws what sends the request on to the next provider if it is none. */
  take(answer: PassThroughAnswer, index: number): void;
  /** All answers as one. */
  whole(): PassThroughAnswer;
}

/** A provider's whole answer, which a client gets as it is. */
export interface PassThroughAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** An answer that a client gets as it comes: `verbatim` events, whose text has a character for every byte. */
export interface PassThroughStream {
  readonly contentType: string;
  readonly flow: EventFlow;
}

/** What a plain call uses; what is not said of it nobody knows yet, or it does not count. */
export interface PassThroughUsage {
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  readonly units: Readonly<Partial<Record<Unit, number>>>;
}
