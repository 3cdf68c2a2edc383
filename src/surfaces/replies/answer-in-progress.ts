import { GatewayError } from '../../core/gateway-error.ts';

/** The error for a retry whose answer is in progress but cannot be shared. A second answer is never generated. */
export function answerInProgress(why: string): GatewayError {
  const detail = `A request with the same Idempotency-Key is still in progress. ${why} Try again in a moment.`;
  return new GatewayError('answer-under-way', { detail });
}
