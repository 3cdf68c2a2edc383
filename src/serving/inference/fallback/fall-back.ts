import { caseOf, GatewayError } from 'chat-formats/gateway-error.ts';
import type { FallbackReason, Model } from 'chat-formats/chat/model.ts';
import type { MeasuredFallback } from '../../../money/requests/request-measurements.ts';
import { RefusedAnswer } from '../../routing/answers/refused-answer.ts';
import { FallbackChain } from './fallback-chain.ts';

interface FallbackOptions<Answer> {
  /** Returns a model by name if this caller may use it. */
  readonly find: (name: string) => Model | undefined;
  /** The reason to try other models after this error; undefined if none may be tried. */
  reason(error: unknown): FallbackReason | undefined;
  call(model: Model): Promise<Answer>;
  /** Whether the request was aborted. */
  isOver(): boolean;
  /** Called for each model that failed. */
  readonly failed: (model: string, error: unknown) => void;
  /** Called before a fallback model is called. */
  readonly moved: (fallback: MeasuredFallback) => void;
  /** Adds a note to the request record. */
  readonly note: (text: string) => void;
}

/**
 * Calls the fallbacks of a model that failed until one answers. Resolves with undefined if none does. Their errors are
 * only noted, because the client asked for the first model.
 */
export async function fallBack<Answer>(
  first: Model,
  failure: unknown,
  options: FallbackOptions<Answer>,
): Promise<Answer | undefined> {
  const chain = new FallbackChain(options.find, options.note);
  for (let [model, error] = [first, failure]; ; ) {
    options.failed(model.id, error);
    const reason = options.reason(error);
    const next = chain.after(model, reason);
    if (!next) return undefined;
    options.moved({ from: first.id, to: next.id, reason });
    options.note(`${next.id} was called instead of ${first.id}: ${reason ?? 'the previous model could not be called'}`);
    try {
      return await options.call(next);
    } catch (caught) {
      // An error that no other model could avoid is rethrown.
      if (options.isOver() || !(caught instanceof GatewayError || caught instanceof RefusedAnswer)) throw caught;
      options.note(`${next.id} did not answer: ${caught instanceof GatewayError ? caseOf(caught) : 'refusal'}`);
      [model, error] = [next, caught];
    }
  }
}
