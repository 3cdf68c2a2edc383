import type { ErrorCase } from 'chat-formats/error-table.ts';
import { type ErrorDetails, GatewayError } from 'chat-formats/gateway-error.ts';
import { decodeErrorCode } from 'chat-formats/chat-completions/answer/decode-error.ts';
import { contextOverflow } from './context-overflow.ts';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import { listOf, objectOf, parsedJson, type WireObject } from 'chat-formats/wire-value.ts';
import type { TransportFault } from '../http1/transport-fault.ts';

/** A refusal in the provider's own words. For logs only. Secrets have been removed. */
export class ProviderRefusal extends Error {
  readonly upstream: string;
  readonly status: number;
  /** The wait that the provider requested, or `undefined` if it requested none. */
  readonly retryAfterMs: number | undefined;

  constructor(upstream: string, status: number, text: string, retryAfterMs?: number) {
    super(`upstream ${upstream} answered ${status}: ${text.trim().slice(0, textCharactersMax) || '(nothing)'}`);
    this.name = 'ProviderRefusal';
    this.upstream = upstream;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const textCharactersMax = 2000;

/** Only a refusal of the request itself reaches the client as one. Problems between gateway and provider do not. */
export function refusal(
  { upstream, redact }: { readonly upstream: string; readonly redact: (text: string) => string },
  status: number,
  responseText: string,
  retryAfterMs?: number,
): GatewayError {
  const errorCase = caseOf(status);
  const text = redact(normalizeJson(responseText));
  const cause = new ProviderRefusal(upstream, status, text, retryAfterMs);
  const overflow = contextOverflow(status, text);
  if (overflow) return new GatewayError('context-overflow', { overflow, cause });
  const providerError = errorCase === 'upstream-rejected' ? errorIn(text) : undefined;
  return new GatewayError(errorCase, {
    code: providerError && decodeErrorCode(providerError),
    details: providerError && detailsIn(providerError),
    cause,
  });
}

/** Normalises JSON. It has several encodings of a character, and only this one matches a secret as it is. */
function normalizeJson(text: string): string {
  const value = foreignJson(text);
  return value === undefined ? text : JSON.stringify(value);
}

function caseOf(status: number): ErrorCase {
  if (timeoutStatuses.has(status)) return 'upstream-timeout';
  return status >= 400 && status < 500 && !gatewayStatuses.has(status) ? 'upstream-rejected' : 'upstream-failed';
}

/** A well-known proxy returns 524 if the provider behind it is too slow. */
const timeoutStatuses = new Set([408, 504, 524]);

/** About the gateway's credential, balance or rate limit, or the model: nothing that the client could fix. */
const gatewayStatuses = new Set([401, 402, 403, 407, 421, 424, 425, 429]);

function errorIn(text: string): WireObject {
  const body = parsedJson(text);
  const outer = objectOf(Array.isArray(body) ? body[0] : body) ?? {};
  return objectOf(outer['error']) ?? outer;
}

/** Client libraries of the messages format react to these codes. The sentences are not forwarded. */
function detailsIn(error: WireObject): ErrorDetails | undefined {
  const details = objectOf(error['details']) ?? {};
  const code = decodeErrorCode({ code: details['error_code'] });
  if (code === undefined) return undefined;
  const unsupported = listOf(details['unsupported']).flatMap((word) => decodeErrorCode({ code: word }) ?? []);
  return { error_code: code, ...(unsupported.length > 0 && { unsupported }) };
}

/** The provider failed or was too slow, or is not responsible: it was not reached, or the gateway failed. */
export function transportError(fault: TransportFault): GatewayError {
  return new GatewayError(faultCases[fault.reason] ?? 'upstream-failed', { cause: fault });
}

const faultCases: Partial<Readonly<Record<TransportFault['reason'], ErrorCase>>> = {
  local: 'overloaded',
  'handler-error': 'internal-error',
  'connect-timeout': 'upstream-timeout',
};

/** The error of a provider without a usable answer. The reason is for operators. */
export function upstreamFailed(reason: string): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error(reason) });
}
