import { GatewayError } from '../../core/gateway-error.ts';
import { ProviderError } from '../provider-error.ts';
import { objectOf, type WireObject, wordOf } from '../wire-value.ts';

/**
 * An error object that a provider put where an answer belongs, as the failure it is; `undefined` when there is none. It
 * counts as much as the status it names, or means, would have counted in front of the answer.
 */
export function decodeErrorObject(wire: WireObject): GatewayError | undefined {
  const error = wire.object === 'error' ? wire : wire.error;
  if (!error) return undefined;
  const fields = objectOf(error) ?? {};
  const words = `The provider answered with an error: ${excerpt(error)}`;
  const status = statusIn(fields, wire);
  const cause = status === undefined ? new Error(words) : new ProviderError(status, words);
  if (isRefusal(fields, status)) return new GatewayError('upstream-rejected', { code: decodeErrorCode(fields), cause });
  return new GatewayError(timeoutStatuses.has(status ?? 0) ? 'upstream-timeout' : 'upstream-failed', { cause });
}

/** A provider's error code, if it is one: a short word, never a sentence that may say too much. */
export function decodeErrorCode(error: WireObject): string | undefined {
  const words = [error.code, error.type, error.status].map(wordOf);
  return words.find((word) => word !== undefined && /^[A-Za-z][\w.-]{0,63}$/.test(word));
}

/** As a number where one is given; some providers only have words for what everybody else has a status for. */
function statusIn(error: WireObject, wire: WireObject): number | undefined {
  const statuses = [error.code, error.status, error.status_code, wire.code, wire.status].map(Number);
  const said = statuses.find((status) => status >= 400 && status <= 599);
  if (said !== undefined) return said;
  const words = [error.code, error.type, error.status].filter((word) => typeof word === 'string');
  return statusWords.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1];
}

/** Refused for what it asks, so that trying elsewhere or again cannot help. */
function isRefusal(error: WireObject, status: number | undefined): boolean {
  if (status !== undefined) return refusalStatuses.has(status);
  return [error.code, error.type].some((word) => typeof word === 'string' && refusalWords.test(word));
}

const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 413, 415, 422]);
const timeoutStatuses: ReadonlySet<number> = new Set([408, 504, 524]);
const refusalWords =
  /^(invalid_request|invalid_request_error|bad_request|context_length_exceeded|invalid_prompt|unsupported_\w+)$/i;
/** Only what asks us to wait: the other words say nothing that a plain failure does not. */
const statusWords: readonly (readonly [RegExp, number])[] = [
  [/^(rate_?limit\w*|too_many_requests|resource_exhausted)$/i, 429],
  [/^((engine|model|server)_)?overloaded(_error)?$|^server_busy$/i, 529],
  [/^(service_)?unavailable(_error)?$/i, 503],
];

/** Long enough for a log to tell what happened. */
const excerptMax = 1000;

function excerpt(error: unknown): string {
  const text = typeof error === 'string' ? error : JSON.stringify(error);
  return text.slice(0, excerptMax);
}
