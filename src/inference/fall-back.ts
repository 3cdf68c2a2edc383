import { caseOf, GatewayError } from '../core/gateway-error.ts';
import type { FallbackReason, Model } from '../core/model.ts';
import type { MeasuredFallback } from '../requests/measured.ts';
import { RefusedAnswer } from '../routing/refused-answer.ts';
import { FallbackChain } from './fallback-chain.ts';

interface FallingBack<Answer> {
  /** A model by its name, if this caller may use it. */
  readonly find: (name: string) => Model | undefined;
  /** Why others may be asked after such an error, if they may. */
  reason(error: unknown): FallbackReason | undefined;
  ask(model: Model): Promise<Answer>;
  /** Whether nobody wants an answer any more. */
  isOver(): boolean;
  /** Hears that a model came to nothing. */
  readonly failed: (model: string, error: unknown) => void;
  /** Hears which model is asked in the place of the first, before it is. */
  readonly moved: (fallback: MeasuredFallback) => void;
  /** Hears what the record is to tell. */
  readonly note: (text: string) => void;
}

/**
 * Asks other models in the place of one that came to nothing, until one answers; nothing if none does. What goes wrong
 * with them is noted and no more: the client asked for the first one.
 */
export async function fallBack<Answer>(
  first: Model,
  failure: unknown,
  how: FallingBack<Answer>,
): Promise<Answer | undefined> {
  const chain = new FallbackChain(how.find, how.note);
  for (let [model, error] = [first, failure]; ; ) {
    how.failed(model.id, error);
    const reason = how.reason(error);
    const next = chain.after(model, reason);
    if (!next) return undefined;
    how.moved({ from: first.id, to: next.id, reason });
    how.note(`${next.id} was asked in place of ${first.id}: ${reason ?? 'the one before it could not be asked'}`);
    try {
      return await how.ask(next);
    } catch (caught) {
      // Whatever no model could mend is told as it is.
      if (how.isOver() || !(caught instanceof GatewayError || caught instanceof RefusedAnswer)) throw caught;
      how.note(`${next.id} did not answer: ${caught instanceof GatewayError ? caseOf(caught) : 'refusal'}`);
      [model, error] = [next, caught];
    }
  }
}
