import { GatewayError } from '../core/gateway-error.ts';

/** What a retry is told whose answer is being made, but cannot be given to it: never is a second one made beside it. */
export function answerUnderWay(why: string): GatewayError {
  const detail = `A request with the same Idempotency-Key is being answered. ${why} Send it again in a moment.`;
  return new GatewayError('answer-under-way', { detail });
}
