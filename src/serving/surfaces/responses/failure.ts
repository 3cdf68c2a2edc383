import type { ErrorCase } from 'chat-formats/error-table.ts';
import { caseOf, lacksMoney } from 'chat-formats/gateway-error.ts';
import type { ResponseFailure } from 'chat-formats/responses/encode-stream.ts';
import { publicError } from '../envelope.ts';

/** Codes by which clients stop with the message or compact the conversation. Every other code makes them retry. */
const codes: Partial<Readonly<Record<ErrorCase, string>>> = {
  'context-overflow': 'context_length_exceeded',
  'invalid-request': 'invalid_prompt',
  'upstream-rejected': 'invalid_prompt',
  'upstream-failed': 'server_error',
  'upstream-timeout': 'server_error',
  'shutting-down': 'server_error',
  'answer-under-way': 'server_error',
  'internal-error': 'server_error',
  overloaded: 'server_is_overloaded',
};

export function responseFailure(error: unknown, requestId: string, supportEmail: string | undefined): ResponseFailure {
  const { code, type, message } = publicError(error, requestId, supportEmail);
  return { code: lacksMoney(error) ? 'insufficient_quota' : (codes[caseOf(error)] ?? code), type, message };
}
