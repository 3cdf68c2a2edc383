import type { ErrorCase } from '../../core/error-table.ts';
import { caseOf } from '../../core/gateway-error.ts';
import type { ResponseFailure } from '../../dialects/responses/encode-stream.ts';
import { publicError } from '../envelope.ts';

/**
 * The codes clients of the format act upon: some end a turn at once with the message, some make the client compact the
 * conversation, every other one makes it send the request again.
 */
const codes: Partial<Readonly<Record<ErrorCase, string>>> = {
  'insufficient-balance': 'insufficient_quota',
  'key-cap-reached': 'insufficient_quota',
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

/** What the last events of a response say of an error. */
export function responseFailure(error: unknown, requestId: string, supportEmail: string | undefined): ResponseFailure {
  const { code, type, message } = publicError(error, requestId, supportEmail);
  return { code: codes[caseOf(error)] ?? code, type, message };
}

/**
 * Clients send a request again whose status says that there is no money, five times and more; told the same in a
 * stream, they stop.
 */
export function isToldInStream(error: unknown): boolean {
  const told = caseOf(error);
  return told === 'insufficient-balance' || told === 'key-cap-reached';
}
