import type { ErrorCase } from '../../core/error-table.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { decodeErrorCode, decodeErrorObject } from '../chat-completions/decode-error.ts';
import { ProviderError } from '../provider-error.ts';
import { objectOf, type WireObject, wordOf } from '../wire-value.ts';

/** What a provider sent as an error where an answer belongs, as the failure it is. */
export function decodeMessagesError(said: unknown): GatewayError {
  const error = errorIn(said);
  const [status, errorCase] = kinds.get(wordOf(error.type) ?? '') ?? unknownKind(error);
  const code = errorCase === 'upstream-rejected' ? decodeErrorCode(error) : undefined;
  const text = (typeof said === 'string' ? said : JSON.stringify(said)).slice(0, textCharactersMax);
  return new GatewayError(errorCase, { code, cause: new ProviderError(status, text) });
}

/** Whether an object is an error instead of what it should be. */
export function isMessagesError(wire: WireObject): boolean {
  return wire.type === 'error' || Boolean(wire.error);
}

/** Long enough for a log to tell what happened. */
const textCharactersMax = 2000;

function errorIn(said: unknown): WireObject {
  const wire = objectOf(said) ?? {};
  return objectOf(wire.error) ?? wire;
}

/** Errors of other formats, as proxies and compatible providers send them. */
function unknownKind(error: WireObject): ErrorKind {
  const { case: errorCase = 'upstream-failed', cause } = decodeErrorObject({ error }) ?? {};
  if (cause instanceof ProviderError) return [cause.status, errorCase];
  return [errorCase === 'upstream-rejected' ? 400 : 500, errorCase];
}

type ErrorKind = readonly [status: number, errorCase: ErrorCase];

/** The status each type of error has when it is sent instead of a stream, and what the request may expect elsewhere. */
const kinds: ReadonlyMap<string, ErrorKind> = new Map([
  ['invalid_request_error', [400, 'upstream-rejected']],
  ['authentication_error', [401, 'upstream-failed']],
  ['billing_error', [402, 'upstream-failed']],
  ['permission_error', [403, 'upstream-failed']],
  ['not_found_error', [404, 'upstream-rejected']],
  ['request_too_large', [413, 'upstream-rejected']],
  ['rate_limit_error', [429, 'upstream-failed']],
  ['api_error', [500, 'upstream-failed']],
  ['timeout_error', [504, 'upstream-timeout']],
  ['overloaded_error', [529, 'upstream-failed']],
]);
