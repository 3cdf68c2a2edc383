import { type ContextOverflow, GatewayError } from 'chat-formats/gateway-error.ts';
import type { Explanation } from '../../http/exchange.ts';
import { faultHeaders, type PublicError, publicError } from '../envelope.ts';

/** The header in which client libraries of this format expect the request id. */
export const messagesIdHeader = 'request-id';

export function explainMessages(error: unknown, requestId: string, supportEmail?: string): Explanation {
  const { status, ...publicForm } = publicMessagesError(error, requestId, supportEmail);
  return {
    status,
    headers: isFinal(status) ? [...faultHeaders(error), 'x-should-retry', 'false'] : faultHeaders(error),
    body: JSON.stringify({ type: 'error', error: publicForm, request_id: requestId }),
  };
}

/** The public form of an error. Clients of this format search for the text of a context overflow, so it has its own. */
export function publicMessagesError(error: unknown, requestId: string, supportEmail?: string): PublicError {
  const publicForm = publicError(error, requestId, supportEmail);
  if (!(error instanceof GatewayError) || error.case !== 'context-overflow') return publicForm;
  const words = overflowMessage(error.overflow);
  return { ...publicForm, message: `${words}. Shorten or compact the conversation. (request id: ${requestId})` };
}

/** A retry of an invalid request fails again. A 408 may succeed, because the client may send faster. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

/** Clients of this format detect by this message that they must compact the conversation. */
function overflowMessage(overflow: ContextOverflow | undefined): string {
  const { promptTokens, tokensMax } = overflow ?? {};
  if (promptTokens === undefined) return 'prompt is too long';
  const limit = tokensMax === undefined ? '' : ` > ${tokensMax} maximum`;
  return `prompt is too long: ${promptTokens} tokens${limit}`;
}
