import { GatewayError } from '../../core/gateway-error.ts';
import { overflowWords } from '../../dialects/messages/overflow-words.ts';
import type { Explanation } from '../../http/exchange.ts';
import { faultHeaders, type PublicError, publicError } from '../envelope.ts';

/** The name under which client libraries of this format look for the request's id. */
export const messagesIdHeader = 'request-id';

/** A whole error reply in the frame that client libraries of this format expect, around the same words as elsewhere. */
export function explainMessages(error: unknown, requestId: string, supportEmail?: string): Explanation {
  const { status, ...told } = publicMessagesError(error, requestId, supportEmail);
  return {
    status,
    headers: isFinal(status) ? [...faultHeaders(error), 'x-should-retry', 'false'] : faultHeaders(error),
    body: JSON.stringify({ type: 'error', error: told, request_id: requestId }),
  };
}

/** Any error in the contract's words, but for the one whose words clients of this format look for. */
export function publicMessagesError(error: unknown, requestId: string, supportEmail?: string): PublicError {
  const told = publicError(error, requestId, supportEmail);
  if (!(error instanceof GatewayError) || error.case !== 'context-overflow') return told;
  const words = overflowWords(error.overflow);
  return { ...told, message: `${words}. Shorten or compact the conversation. (request id: ${requestId})` };
}

/** What is wrong with the request stays wrong however often it is sent; a slow sender may be quicker the next time. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}
