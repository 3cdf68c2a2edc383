import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { Guarantees, ProviderConstraints } from '../core/guarantee.ts';
import type { PromptCache, Untranslatable } from '../core/model.ts';
import type { PassThroughAnswer, PassThroughRequest, PassThroughStream } from '../core/pass-through-call.ts';
import type { CallTrace } from '../core/request-trace.ts';
import type { AnswerEncoding } from '../dialects/chat-completions/answer-frames.ts';
import type { ChatSplice } from '../dialects/chat-completions/splice.ts';
import type { AdoptedAnswer } from './answer.ts';
import type { ResponseHandler } from './http1/provider-connection.ts';
import type { SentRequest } from './http1/pool.ts';
import type { AnswerTimeouts } from './watchdog.ts';

/** A model provider as routing sees it. */
export interface Upstream {
  readonly name: string;
  /** How many credentials there are to choose from; a provider that wants none counts as one. */
  readonly credentials: number;
  /** Which promises the provider is known to keep by itself. */
  readonly keeps?: ProviderConstraints;
  /** Whether it calls `sent` of a call; if not, a call counts as sent as soon as it is made. */
  readonly tellsSent?: boolean;
  /**
   * Sends the request and resolves once the provider has accepted it; the flow then delivers the answer.
   * Rejects with a `GatewayError` of an upstream case: `upstream-rejected` is the request's own fault and final, the
   * others may be tried elsewhere. Aborting the signal closes the connection: before it resolved it rejects with the
   * signal's reason, afterwards the flow fails with it.
   */
  open(call: UpstreamCall, signal: AbortSignal): Promise<EventFlow>;
  /** The same for a client of the provider's own format, with nothing to wait for; left out by providers of other formats. */
  readonly ready?: (call: UpstreamCall) => ReadyCall | undefined;
  /**
   * How many tokens the provider counts in the prompt; `undefined` when it cannot say. Rejects only for what is wrong
   * with the request itself.
   */
  countTokens?(call: UpstreamCall, signal: AbortSignal): Promise<number | undefined>;
  /**
   * Hands a body on and resolves with the whole answer, or with its flow where the request wants it as it comes; rejects
   * and aborts as `open` does. Left out by providers that have no such endpoints.
   */
  readonly pass?: (
    call: PassThroughUpstreamCall,
    signal: AbortSignal,
  ) => Promise<PassThroughAnswer | PassThroughStream>;
  /** Closes idle connections and keeps no new ones; running answers go on to their end. */
  close(): void;
}

/** From the bytes of an answer to those its client gets. */
export type AnswerSplice = Pick<
  ChatSplice,
  'isAlive' | 'isHolding' | 'isDone' | 'isCut' | 'isUsageDue' | 'push' | 'end' | 'done'
>;

/** A call of the chat-completions format that only has to be sent. */
export interface ReadyCall {
  readonly timeouts: AnswerTimeouts;
  send(handler: ResponseHandler): SentRequest;
  /** Makes of the answer what its client gets, and no more than so many tokens of it where a cap is said. */
  splice(encoding: AnswerEncoding, maxTokens: number | undefined): AnswerSplice;
  /** Leaves what was sent to the slow path, which is to be told all that was heard of it. */
  adopt(sent: SentRequest, how: { readonly signal: AbortSignal; readonly sentMs: number }): AdoptedAnswer;
  /** What broke the answer off, named and without secrets. */
  readonly attributed: (error: unknown) => unknown;
}

export interface PassThroughUpstreamCall {
  /** How many inputs the provider takes at once for this model; as many as its quirks say if not said. */
  readonly inputsMax?: number | undefined;
  /** The model's name at this provider. */
  readonly model: string;
  readonly request: PassThroughRequest;
  readonly credential: number;
  /** Its trace, if it is traced. */
  readonly trace?: CallTrace | undefined;
  /** Called when the request has gone out. */
  readonly sent?: () => void;
  /** Called when the provider has answered with another status than 200, before its reason is read. */
  readonly refused?: () => void;
}

export interface UpstreamCall {
  /** The model's name at this provider. */
  readonly model: string;
  /** Whether the model can think: thinking defaults go up only then. */
  readonly thinking: boolean;
  /** The most the model can generate, for providers that must be told a number. */
  readonly maxOutputTokens?: number | undefined;
  /** The family whose markup the model leaves in its text; told by the model's name if not said. */
  readonly toolFormat?: string | undefined;
  /** Whether the prompt opens the model's reasoning, so that its text begins inside it. */
  readonly thinksFirst?: boolean | undefined;
  /** Whether arguments of tool calls are mended where it is certain how. */
  readonly repairArguments?: boolean;
  /** What becomes of fields the provider's format has no word for; hints are left out unless said. */
  readonly untranslatable?: Untranslatable | undefined;
  /** Whether the provider's prompt cache is used for a client that does not ask for it. */
  readonly cache?: PromptCache | undefined;
  /** Then also a name for the conversation that says nothing about it; none where there is too little to come back for. */
  readonly conversation?: (() => string | undefined) | undefined;
  /** Who keeps the promises that a provider may not keep. */
  readonly guarantees?: Guarantees | undefined;
  readonly request: ChatRequest;
  /** Which of the upstream's credentials to use, counted from 0. */
  readonly credential: number;
  /** What an earlier upstream said of the answer before it died: the answer goes on from its end. */
  readonly prefill?: string | undefined;
  /** Its trace, if it is traced. */
  readonly trace?: CallTrace | undefined;
  /** Called when the request has gone out, so that the provider may have begun with it. */
  readonly sent?: (() => void) | undefined;
  /** Called when the provider has answered with another status than 200, before its reason is read. */
  readonly refused?: (() => void) | undefined;
}
