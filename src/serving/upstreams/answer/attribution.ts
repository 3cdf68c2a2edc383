import type { ErrorCase } from 'chat-formats/error-table.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ProviderError } from 'chat-formats/chat-completions/answer/decode-error.ts';
import { contextOverflow } from './context-overflow.ts';
import { ProviderRefusal } from './refusal.ts';

/** Names the upstream in the cause and removes secrets: providers repeat what they were sent. */
export function attributed(error: unknown, upstream: string, redact: (text: string) => string): unknown {
  if (!(error instanceof GatewayError) || error.cause instanceof ProviderRefusal) return error;
  const words = error.cause instanceof Error ? error.cause.message : error.message;
  const status = error.cause instanceof ProviderError ? error.cause.status : undefined;
  const cause =
    status === undefined
      ? new Error(`upstream ${upstream}: ${redact(words)}`)
      : new ProviderRefusal(upstream, status, redact(words));
  const overflow = providerErrorCases.has(error.case) ? contextOverflow(status, words) : undefined;
  if (overflow) return new GatewayError('context-overflow', { overflow, cause });
  const isClean = error.code === undefined || redact(error.code) === error.code;
  return new GatewayError(error.case, {
    detail: error.detail,
    code: isClean ? error.code : undefined,
    details: error.details,
    cause,
  });
}

/** Cases of errors that a provider sends instead of an answer. Their text may describe a context overflow. */
const providerErrorCases: ReadonlySet<ErrorCase> = new Set(['upstream-rejected', 'upstream-failed']);
