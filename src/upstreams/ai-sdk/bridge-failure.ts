import { GatewayError } from '../../core/gateway-error.ts';
import { decodeErrorObject } from '../../dialects/chat-completions/answer/decode-error.ts';
import { isObject, objectOf, type WireObject, nonEmptyString } from '../../dialects/wire-value.ts';
import { refusal } from '../answer/refusal.ts';
import type { BridgeUpstream } from './bridge-response.ts';
import { StreamedError } from './streamed-error.ts';

/** Maps an error of a provider package to the error that other upstreams return. */
export function bridgeFailure(thrown: unknown, upstream: BridgeUpstream): GatewayError {
  const error = thrown instanceof StreamedError ? thrown.error : thrown;
  if (error instanceof GatewayError) return error;
  const fields: WireObject = isObject(error) ? error : {};
  const refused = unsupportedInput(fields) ?? streamedRefusal(fields, upstream);
  return refused ?? new GatewayError('upstream-failed', { cause: new Error(messageOf(error, fields)) });
}

/** Packages validate their input and name the parts that their provider does not support. */
function unsupportedInput({ name, functionality, argument }: WireObject): GatewayError | undefined {
  const what = nonEmptyString(functionality) ?? nonEmptyString(argument);
  if (typeof name !== 'string' || !/^AI_(UnsupportedFunctionality|InvalidPrompt|InvalidArgument)/.test(name)) {
    return undefined;
  }
  const detail = `The provider of this model does not support this request${what === undefined ? '' : `: ${what}`}.`;
  return new GatewayError('invalid-request', { detail });
}

/** An error that the provider sent inside its stream, mapped to the status it would have had before the stream. */
function streamedRefusal(fields: WireObject, upstream: BridgeUpstream): GatewayError | undefined {
  const { statusCode, data, responseBody } = fields;
  if (typeof statusCode === 'number' && statusCode >= 400) {
    const text = nonEmptyString(responseBody) ?? JSON.stringify({ error: { ...fields, ...objectOf(data) } });
    return refusal(upstream, statusCode, text);
  }
  return isPackageError(fields) ? undefined : decodeErrorObject({ error: data ?? fields });
}

/** Errors of the packages themselves, about bytes that are not an answer. */
function isPackageError({ name }: WireObject): boolean {
  return name !== undefined;
}

const wordsMax = 1000;

function messageOf(error: unknown, { message }: WireObject): string {
  return (nonEmptyString(message) ?? String(error)).slice(0, wordsMax);
}
