import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import type { Guarantees, ProviderConstraints } from 'chat-formats/chat/guarantee.ts';
import type { PromptCache, Untranslatable } from 'chat-formats/chat/model.ts';
import type { PassThroughAnswer, PassThroughRequest, PassThroughStream } from '../../core/pass-through-call.ts';
import type { CallTrace } from '../../core/request-trace.ts';
import type { AnswerEncoding } from 'chat-formats/chat-completions/answer/stream-encoder.ts';
import type { ChatSplice } from './splice/splice.ts';
import type { AdoptedAnswer } from './answer/answer.ts';
import type { ResponseHandler } from './http1/provider-connection.ts';
import type { SentRequest } from './http1/pool.ts';
import type { AnswerTimeouts } from './answer/answer-deadlines.ts';

export interface Upstream {
  readonly name: string;
  /** The number of credentials. A provider without credentials counts as one. */
  readonly credentials: number;
  /** The constraints that the provider is known to enforce itself. */
  readonly keeps?: ProviderConstraints;
  /** Whether it calls `sent` of a call. If not, a call counts as sent when it is made. */
  readonly reportsSent?: boolean;
  /**
   * Sends the request and resolves once the provider has accepted it. The flow then delivers the answer. Rejects with a
   * `GatewayError` of an upstream case. `upstream-rejected` is caused by the request and final. The others may be
   * retried elsewhere. Aborting the signal closes the connection. Before the promise resolves, it rejects with the
   * signal's reason. After that, the flow fails with it.
   */
  open(call: UpstreamCall, signal: AbortSignal): Promise<EventFlow>;
  /** Like `open`, without any wait, for clients of the provider's own format. */
  ready?(call: UpstreamCall): ReadyCall | undefined;
  /** The provider's count of the prompt, if available. Rejects only for errors of the request itself. */
  countTokens?(call: UpstreamCall, signal: AbortSignal): Promise<number | undefined>;
  /** Forwards a body. Resolves with the whole answer or its flow. Rejects and aborts as `open` does. */
  pass?(call: PassThroughUpstreamCall, signal: AbortSignal): Promise<PassThroughAnswer | PassThroughStream>;
  /** Closes idle connections and keeps no new ones. Running answers continue to their end. */
  close(): void;
}

/** Converts the bytes of an answer to those for the client. */
export type AnswerSplice = Pick<
  ChatSplice,
  'isAlive' | 'isHolding' | 'isDone' | 'isCut' | 'isUsageDue' | 'push' | 'end' | 'done'
>;

/** A call of the chat-completions format that is ready to be sent. */
export interface ReadyCall {
  readonly timeouts: AnswerTimeouts;
  send(handler: ResponseHandler): SentRequest;
  /** Converts the answer to the client's format. With `maxTokens`, the answer is cut after that many tokens. */
  splice(encoding: AnswerEncoding, maxTokens: number | undefined): AnswerSplice;
  /** Hands the sent request to the slow path. The caller must pass on all response events received so far. */
  adopt(sent: SentRequest, how: { readonly signal: AbortSignal; readonly sentMs: number }): AdoptedAnswer;
  /** Returns an error with the name of the upstream and without secrets. */
  readonly attributed: (error: unknown) => unknown;
}

interface ProviderCall {
  /** The model's name at this provider. */
  readonly model: string;
  /** Which of the upstream's credentials to use, counted from 0. */
  readonly credential: number;
  readonly trace?: CallTrace | undefined;
  /** Called when the request was sent: from then on the provider may have started on it. */
  readonly sent?: (() => void) | undefined;
  /** Called when the provider answered with a status other than 200, before the reason is read. */
  readonly refused?: (() => void) | undefined;
}

export interface PassThroughUpstreamCall extends ProviderCall {
  /** The number of inputs per request for this model. The limit of the quirks if left out. */
  readonly inputsMax?: number | undefined;
  readonly request: PassThroughRequest;
}

export interface UpstreamCall extends ProviderCall {
  /** Whether the model supports reasoning. Reasoning defaults are sent only then. */
  readonly thinking: boolean;
  /** The maximum output of the model, for providers that require a number. */
  readonly maxOutputTokens?: number | undefined;
  /** The model family whose markup may appear in the text. Derived from the model's name if left out. */
  readonly toolFormat?: string | undefined;
  /** Whether the prompt opens the model's reasoning, so that its text begins inside it. */
  readonly thinksFirst?: boolean | undefined;
  /** Whether arguments of tool calls are repaired if the repair is unambiguous. */
  readonly repairArguments?: boolean;
  /** How to handle fields that the provider's format does not have. By default hints are left out. */
  readonly untranslatable?: Untranslatable | undefined;
  /** Whether to use the provider's prompt cache for a client that does not request it. */
  readonly cache?: PromptCache | undefined;
  /** An opaque id for the prompt cache; `undefined` if the conversation is too short to benefit. */
  readonly conversation?: (() => string | undefined) | undefined;
  /** Which constraints the gateway enforces because a provider may not. */
  readonly guarantees?: Guarantees | undefined;
  readonly request: ChatRequest;
  /** The text that an earlier upstream generated before it failed. The answer continues after it. */
  readonly prefill?: string | undefined;
}
