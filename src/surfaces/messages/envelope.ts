import type { Explanation } from '../../http/exchange.ts';
import { faultHeaders, publicError } from '../envelope.ts';

/** The name under which client libraries of this format look for the request's id. */
export function messagesHeaders(requestId: string): readonly string[] {
  return ['request-id', requestId];
}

/** A whole error reply in the frame that client libraries of this format expect, around the same words as elsewhere. */
export function explainMessages(error: unknown, requestId: string, supportEmail?: string): Explanation {
  const { status, ...told } = publicError(error, requestId, supportEmail);
  return {
    status,
    headers: [
      ...faultHeaders(error),
      ...messagesHeaders(requestId),
      ...(isFinal(status) ? ['x-should-retry', 'false'] : []),
    ],
    body: JSON.stringify({ type: 'error', error: told, request_id: requestId }),
  };
}

/** What is wrong with the request stays wrong however often it is sent; a slow sender may be quicker the next time. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}
