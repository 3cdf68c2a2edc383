import { GatewayError } from '../core/gateway-error.ts';

/** A few malformed events are tolerated. With more than this, the provider does not use the format. */
const garbageMax = 10;

/** The anomaly recorded for a malformed event. */
export const garbageNote = 'an event that is not a JSON object';

/** Counts the events of one stream that are not JSON objects. Throws if there are too many. */
export class Garbage {
  #events = 0;

  count(): void {
    this.#events += 1;
    if (this.#events <= garbageMax) return;
    throw new GatewayError('upstream-failed', {
      cause: new Error(`More than ${garbageMax} events of the provider's stream are not JSON objects.`),
    });
  }
}
