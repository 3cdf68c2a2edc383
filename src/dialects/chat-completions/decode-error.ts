import { GatewayError } from '../../core/gateway-error.ts';
import { objectOf, type WireObject, wordOf } from '../wire-value.ts';

/** An error object that a provider put where an answer belongs, as the failure it is; `undefined` when there is none. */
export function decodeErrorObject(wire: WireObject): GatewayError | undefined {
  const error = wire.object === 'error' ? wire : wire.error;
  if (!error) return undefined;
  const fields = objectOf(error) ?? {};
  const cause = new Error(`The provider answered with an error: ${excerpt(error)}`);
  if (!isRefusal(fields, wire)) return new GatewayError('upstream-failed', { cause });
  return new GatewayError('upstream-rejected', { code: decodeErrorCode(fields), cause });
}

/** A provider's error code, if it is one: a short word, never a sentence that may say too much. */
export function decodeErrorCode(error: WireObject): string | undefined {
  const words = [error.code, error.type, error.status].map(wordOf);
  return words.find((word) => word !== undefined && /^[A-Za-z][\w.-]{0,63}$/.test(word));
}

/** Refused for what it asks, so that trying elsewhere or again cannot help. */
function isRefusal(error: WireObject, wire: WireObject): boolean {
  const statuses = [error.code, error.status, error.status_code, wire.code, wire.status].map(Number);
  if (statuses.some((status) => refusalStatuses.has(status))) return true;
  if (statuses.some((status) => status >= 400 && status <= 599)) return false;
  return [error.code, error.type].some((word) => typeof word === 'string' && refusalWords.test(word));
}

const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 413, 415, 422]);
const refusalWords =
  /^(invalid_request|invalid_request_error|bad_request|context_length_exceeded|invalid_prompt|unsupported_\w+)$/i;

/** Long enough for a log to tell what happened. */
const excerptMax = 1000;

function excerpt(error: unknown): string {
  const text = typeof error === 'string' ? error : JSON.stringify(error);
  return text.slice(0, excerptMax);
}
