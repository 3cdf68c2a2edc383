import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { FallbackReason } from 'chat-formats/chat/model.ts';
import { RefusedAnswer } from '../../routing/answers/refused-answer.ts';

/** Error codes of providers whose content filter rejected the request before any answer. */
const filterCodes: ReadonlySet<string | undefined> = new Set(['content_filter', 'content_policy_violation']);

/**
 * The reason to try another model after this error; undefined if it would fail too. An invalid request stays invalid,
 * and a shortage of this machine or its store affects every model.
 */
export function fallbackReason(error: unknown, hasQueueTimeout: boolean): FallbackReason | undefined {
  if (error instanceof RefusedAnswer) return 'refusal';
  if (!(error instanceof GatewayError)) return undefined;
  switch (error.case) {
    case 'upstream-failed':
    case 'constraint-violated':
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

/** Whether the model has a fallback for this reason. */
export function fallsBackOn(
  { fallbacks = [] }: { readonly fallbacks?: readonly { readonly on: readonly FallbackReason[] }[] },
  reason: FallbackReason,
): boolean {
  return fallbacks.some(({ on }) => on.includes(reason));
}
