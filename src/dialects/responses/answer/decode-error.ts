import { GatewayError } from '../../../core/gateway-error.ts';
import { decodeErrorObject, ProviderError } from '../../chat-completions/answer/decode-error.ts';
import { upstreamFailed } from '../../provider-failure.ts';
import { objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/** An error that a provider sent instead of an answer: an event, an envelope, or that of a failed response. */
export function decodeResponsesError(value: unknown): GatewayError {
  const wire = objectOf(value) ?? { message: value };
  // An error event may also be flat: its `type` is then that of the event, not of the error.
  const error: WireObject = objectOf(wire.error) ??
    objectOf(objectOf(wire.response)?.error) ?? { ...wire, type: undefined };
  if (busyCodes.has(nonEmptyString(error.code) ?? '')) return busy(error);
  return decodeErrorObject({ error }) ?? upstreamFailed('The provider gave no reason.');
}

const busyCodes: ReadonlySet<string> = new Set(['server_is_overloaded', 'slow_down']);

/** Limit for the error text in the log. */
const textCharactersMax = 1000;

function busy(error: WireObject): GatewayError {
  const message = `The provider answered with an error: ${JSON.stringify(error).slice(0, textCharactersMax)}`;
  return new GatewayError('upstream-failed', { cause: new ProviderError(529, message) });
}
