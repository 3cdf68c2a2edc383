import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';

/** A model provider as routing sees it. */
export interface Upstream {
  readonly name: string;
  /**
   * Sends the request and resolves once the provider has accepted it; the flow then delivers the answer.
   * Rejects with a `GatewayError` of an upstream case: `upstream-rejected` is the request's own fault and final, the
   * others may be tried elsewhere. Aborting the signal closes the connection: before it resolved it rejects with the
   * signal's reason, afterwards the flow fails with it.
   */
  open(call: UpstreamCall, signal: AbortSignal): Promise<EventFlow>;
  /** Closes idle connections and keeps no new ones; running answers go on to their end. */
  close(): void;
}

export interface UpstreamCall {
  /** The model's name at this provider. */
  readonly model: string;
  /** Whether the model can think: thinking defaults go up only then. */
  readonly thinking: boolean;
  /** The family whose markup the model leaves in its text; told by the model's name if not said. */
  readonly toolFormat?: string | undefined;
  /** Whether the prompt opens the model's reasoning, so that its text begins inside it. */
  readonly thinksFirst?: boolean | undefined;
  /** Whether arguments of tool calls are mended where it is certain how. */
  readonly repairArguments?: boolean;
  readonly request: ChatRequest;
}
