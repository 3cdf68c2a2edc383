import { GatewayError } from '../core/gateway-error.ts';
import type { FallbackReason } from '../core/model.ts';
import { RefusedAnswer } from '../routing/refused-answer.ts';

/** Codes under which providers refuse what their filters will not have, before any answer. */
const filterCodes: ReadonlySet<string | undefined> = new Set(['content_filter', 'content_policy_violation']);

/**
 * Why another model may be asked for what this one did not give; `undefined` if it would be no better off. A request
 * that is wrong stays wrong, and what this machine or its store lacks no other model has.
 */
export function fallbackReason(error: unknown, hasQueueTimeout: boolean): FallbackReason | undefined {
  if (error instanceof RefusedAnswer) return 'refusal';
  if (!(error instanceof GatewayError)) return undefined;
  switch (error.case) {
    case 'upstream-failed':
    case 'promise-broken':
    case 'upstream-timeout':
      return 'failure';
    case 'overloaded':
      return hasQueueTimeout ? 'failure' : undefined;
    case 'context-overflow':
      return 'context_overflow';
    case 'invalid-request':
      return error.overflow ? 'context_overflow' : undefined;
    case 'upstream-rejected':
      return filterCodes.has(error.code) ? 'refusal' : undefined;
    default:
      return undefined;
  }
}

/** Whether a model is asked in the place of this one for such a reason. */
export function fallsBackOn(
  { fallbacks = [] }: { readonly fallbacks?: readonly { readonly on: readonly FallbackReason[] }[] },
  reason: FallbackReason,
): boolean {
  return fallbacks.some(({ on }) => on.includes(reason));
}
