import type { ErrorCase } from '../core/error-table.ts';
import { type ErrorDetails, GatewayError } from '../core/gateway-error.ts';
import { decodeErrorCode } from '../dialects/chat-completions/decode-error.ts';
import { contextOverflow } from './context-overflow.ts';
import { listOf, objectOf, parsedJson, type WireObject } from '../dialects/wire-value.ts';

/** A provider's own words about why there is no answer. For logs only; secrets have been taken out. */
export class ProviderRefusal extends Error {
  readonly upstream: string;
  readonly status: number;
  /** How long the provider asked to be left alone; `undefined` if it did not say. */
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

/**
 * The error a response other than an answer becomes. Only a refusal of the request itself reaches the client as a
 * refusal, under the provider's own code; what is wrong between us and the provider does not.
 */
export function refusal(
  { upstream, redact }: { readonly upstream: string; readonly redact: (text: string) => string },
  status: number,
  said: string,
  retryAfterMs?: number,
): GatewayError {
  const errorCase = caseOf(status);
  const text = redact(plainly(said));
  const cause = new ProviderRefusal(upstream, status, text, retryAfterMs);
  const overflow = contextOverflow(status, text);
  if (overflow) return new GatewayError('context-overflow', { overflow, cause });
  const told = errorCase === 'upstream-rejected' ? errorIn(text) : undefined;
  return new GatewayError(errorCase, { code: told && decodeErrorCode(told), details: told && detailsIn(told), cause });
}

/** JSON has many ways to write a character; in this one a secret looks like itself. */
function plainly(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function caseOf(status: number): ErrorCase {
  if (timeoutStatuses.has(status)) return 'upstream-timeout';
  return status >= 400 && status < 500 && !ourStatuses.has(status) ? 'upstream-rejected' : 'upstream-failed';
}

/** 524 is what a well-known proxy says when the provider behind it is too slow. */
const timeoutStatuses = new Set([408, 504, 524]);

/** About our credential, our balance with the provider, our pace or its model: nothing the client could mend. */
const ourStatuses = new Set([401, 402, 403, 407, 421, 424, 425, 429]);

function errorIn(text: string): WireObject {
  const body = parsedJson(text);
  const outer = objectOf(Array.isArray(body) ? body[0] : body) ?? {};
  return objectOf(outer['error']) ?? outer;
}

/** A provider of the messages format tells client libraries in one word how to go on; its sentences stay here. */
function detailsIn(error: WireObject): ErrorDetails | undefined {
  const details = objectOf(error['details']) ?? {};
  const code = decodeErrorCode({ code: details['error_code'] });
  if (code === undefined) return undefined;
  const unsupported = listOf(details['unsupported']).flatMap((word) => decodeErrorCode({ code: word }) ?? []);
  return { error_code: code, ...(unsupported.length > 0 && { unsupported }) };
}
