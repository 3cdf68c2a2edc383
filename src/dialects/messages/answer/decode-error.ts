import type { ErrorCase } from '../../../core/error-table.ts';
import { GatewayError } from '../../../core/gateway-error.ts';
import { decodeErrorCode, decodeErrorObject, ProviderError } from '../../chat-completions/answer/decode-error.ts';
import { objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

export function decodeMessagesError(payload: unknown): GatewayError {
  const error = errorIn(payload);
  const [status, errorCase] = kinds.get(nonEmptyString(error.type) ?? '') ?? unknownKind(error);
  const code = errorCase === 'upstream-rejected' ? decodeErrorCode(error) : undefined;
  const text = (typeof payload === 'string' ? payload : JSON.stringify(payload)).slice(0, textCharactersMax);
  return new GatewayError(errorCase, { code, cause: new ProviderError(status, text) });
}

export function isMessagesError(wire: WireObject): boolean {
  return wire.type === 'error' || Boolean(wire.error);
}

/** Enough for a log entry to show the cause. */
const textCharactersMax = 2000;

function errorIn(payload: unknown): WireObject {
  const wire = objectOf(payload) ?? {};
  return objectOf(wire.error) ?? wire;
}

/** Errors in other formats, which proxies and compatible providers send. */
function unknownKind(error: WireObject): ErrorKind {
  const { case: errorCase = 'upstream-failed', cause } = decodeErrorObject({ error }) ?? {};
  if (cause instanceof ProviderError) return [cause.status, errorCase];
  return [errorCase === 'upstream-rejected' ? 400 : 500, errorCase];
}

type ErrorKind = readonly [status: number, errorCase: ErrorCase];

/** The status outside of a stream, and the error case, which decides whether another provider may succeed. */
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
