import { GatewayError } from './gateway-error.ts';

/** The error of a provider that failed. Only logs show the reason. */
export function upstreamFailed(reason: string): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error(reason) });
}

export function cutShort(): GatewayError {
  return upstreamFailed("The provider's answer was cut short.");
}

/** A few malformed events are tolerated. With more than this, the provider does not use the format. */
const malformedEventsMax = 10;

export const malformedEventNote = 'an event that is not a JSON object';

/** Counts the events of one stream that are not JSON objects. Throws if there are too many. */
export class MalformedEvents {
  #count = 0;

  count(): void {
    this.#count += 1;
    if (this.#count <= malformedEventsMax) return;
    throw upstreamFailed(`More than ${malformedEventsMax} events of the provider's stream are not JSON objects.`);
  }
}
