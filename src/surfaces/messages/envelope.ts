import type { Explanation } from '../../http/exchange.ts';
import { faultHeaders, publicError } from '../envelope.ts';

/** The name under which client libraries of this format look for the request's id. */
export const messagesIdHeader = 'request-id';

/** A whole error reply in the frame that client libraries of this format expect, around the same words as elsewhere. */
export function explainMessages(error: unknown, requestId: string, supportEmail?: string): Explanation {
  const { status, ...told } = publicError(error, requestId, supportEmail);
  return {
    status,
    headers: isFinal(status) ? [...faultHeaders(error), 'x-should-retry', 'false'] : faultHeaders(error),
    body: JSON.stringify({ type: 'error', error: told, request_id: requestId }),
  };
}

/** What is wrong with the request stays wrong however often it is sent; a slow sender may be quicker the next time. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}
