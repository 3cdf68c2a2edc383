import { GatewayError } from '../../gateway-error.ts';
import { objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/** An error object that a provider sent instead of an answer. It is treated like a response with its status. */
export function decodeErrorObject(wire: WireObject): GatewayError | undefined {
  const error = wire.object === 'error' ? wire : wire.error;
  if (!error) return undefined;
  const fields = objectOf(error) ?? {};
  const message = `The provider answered with an error: ${excerpt(error)}`;
  const status = statusIn(fields, wire);
  const cause = status === undefined ? new Error(message) : new ProviderError(status, message);
  if (isRejection(fields, status))
    return new GatewayError('upstream-rejected', { code: decodeErrorCode(fields), cause });
  return new GatewayError(timeoutStatuses.has(status ?? 0) ? 'upstream-timeout' : 'upstream-failed', { cause });
}

/** The provider's error code, if it is a short word. A sentence is left out: it may reveal too much. */
export function decodeErrorCode(error: WireObject): string | undefined {
  const words = [error.code, error.type, error.status].map(nonEmptyString);
  return words.find((word) => word !== undefined && /^[A-Za-z][\w.-]{0,63}$/.test(word));
}

/** The status as a number. Some providers send only a word for it. */
function statusIn(error: WireObject, wire: WireObject): number | undefined {
  const statuses = [error.code, error.status, error.status_code, wire.code, wire.status].map(Number);
  const stated = statuses.find((status) => status >= 400 && status <= 599);
  if (stated !== undefined) return stated;
  const words = [error.code, error.type, error.status].filter((word) => typeof word === 'string');
  return statusWords.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1];
}

/** The request itself was rejected, so a retry or another provider does not help. */
function isRejection(error: WireObject, status: number | undefined): boolean {
  if (status !== undefined) return rejectionStatuses.has(status);
  return [error.code, error.type].some((word) => typeof word === 'string' && rejectionWords.test(word));
}

const rejectionStatuses: ReadonlySet<number> = new Set([400, 404, 413, 415, 422]);
const timeoutStatuses: ReadonlySet<number> = new Set([408, 504, 524]);
const rejectionWords =
  /^(invalid_request|invalid_request_error|bad_request|context_length_exceeded|invalid_prompt|unsupported_\w+)$/i;
/** Only words that demand a wait: all others are ordinary failures. */
const statusWords: readonly (readonly [RegExp, number])[] = [
  [/^(rate_?limit\w*|too_many_requests|resource_exhausted)$/i, 429],
  [/^((engine|model|server)_)?overloaded(_error)?$|^server_busy$/i, 529],
  [/^(service_)?unavailable(_error)?$/i, 503],
];

/** Enough for a log entry to show the cause. */
const excerptMax = 1000;

function excerpt(error: unknown): string {
  const text = typeof error === 'string' ? error : JSON.stringify(error);
  return text.slice(0, excerptMax);
}

/** An error that a provider sent inside an answer, with the status it corresponds to. The text is for logs only. */
export class ProviderError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.name = 'ProviderError';
    this.status = status;
  }
}
