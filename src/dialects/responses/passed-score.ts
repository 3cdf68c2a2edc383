import { type EventCode, derivedCode } from './event-log.ts';
import type { PassedEvent } from './passed-event.ts';

/**
 * Maximum characters of events stored unchanged for one response. Events beyond it are replayed as keep-alive events.
 */
const wholeCharactersMax = 64 * 1024;

/**
 * Encodes the events of a provider as event codes. An event that can be replayed from the response is a code. Any other
 * event is stored unchanged.
 */
export class PassedScore {
  #left = wholeCharactersMax;

  encode(event: PassedEvent): EventCode {
    return derivedCode(event.type, event.fields) ?? this.#whole(event);
  }

  #whole({ fields, data }: PassedEvent): EventCode {
    this.#left -= data.length;
    if (this.#left < 0) return 'k';
    const { sequence_number: _, ...rest } = fields;
    return rest;
  }
}
