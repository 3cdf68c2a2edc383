import { isObject } from '../../wire-value.ts';
import { type EventCode, derivedCode } from '../answer/event-log.ts';
import type { PassedEvent } from './passed-event.ts';

/**
 * Maximum characters of events stored unchanged for one response. Events beyond it are replayed as keep-alive events.
 */
const wholeCharactersMax = 64 * 1024;

const itemAdded = 'response.output_item.added';

/**
 * Encodes the events of a provider as event codes. An event that can be replayed from the response is a code. Any other
 * event is stored unchanged, and so are the events after an unknown part until the end of its item.
 */
export class PassedScore {
  #left = wholeCharactersMax;
  #hasUnknownPart = false;

  encode(event: PassedEvent): EventCode {
    const code = derivedCode(event.type, event.fields);
    if (event.type === itemAdded) this.#hasUnknownPart = false;
    else if (code === undefined && isObject(event.fields.part)) this.#hasUnknownPart = true;
    const isDerived = code === 'd' || !this.#hasUnknownPart;
    return isDerived && code !== undefined ? code : this.#whole(event);
  }

  #whole({ type, fields, data }: PassedEvent): EventCode {
    this.#left -= data.length;
    // The replay counts the items.
    if (this.#left < 0) return type === itemAdded ? 'a' : 'k';
    const { sequence_number: _, ...rest } = fields;
    return rest;
  }
}
