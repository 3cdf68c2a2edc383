import { GatewayError } from '../core/gateway-error.ts';

/** A provider may stutter; one that sends more than this is not speaking the format. */
const garbageMax = 10;

/** What is noted of an event that says nothing in any format. */
export const garbageNote = 'an event that is not a JSON object';

/** Counts the events of one stream that are not JSON objects, and throws where there are too many. */
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
