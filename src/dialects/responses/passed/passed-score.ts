import { isObject, listOf, type WireObject } from '../../wire-value.ts';
import { isOrdered } from '../answer/item-texts.ts';
import type { PassedEvent } from './passed-event.ts';
import { isKnown, type EventCode, eventCodeOf, deltaCode } from '../answer/event-log.ts';

/**
 * Maximum characters of events stored unchanged for one response. Events beyond it are replayed as keep-alive events.
 */
const wholeCharactersMax = 64 * 1024;

const partTypes: ReadonlySet<unknown> = new Set(['output_text', 'refusal', 'summary_text', 'reasoning_text']);

/**
 * Encodes the events of a provider as event codes. An event in the expected order can be replayed from the response.
 * Any other event is stored unchanged.
 */
export class PassedScore {
  #left = wholeCharactersMax;
  #index = -1;
  #list: 'content_index' | 'summary_index' = 'content_index';
  #part = -1;
  #isOpen = false;
  #isCall = false;
  #isPartOpen = false;

  encode(event: PassedEvent): EventCode {
    return this.#expected(event) ?? this.#whole(event);
  }

  #expected({ type, fields }: PassedEvent): EventCode | undefined {
    if (type.startsWith('response.') && type.endsWith('.delta')) return this.#piece(type, fields);
    if (!isKnown(type)) return undefined;
    const kind = eventCodeOf(type);
    switch (kind) {
      case 'c':
        return isObject(fields.response) && fields.response.status === 'queued' ? 'C' : kind;
      case 'q':
      case 'i':
      case 'k':
        return kind;
      case 'a':
        return this.#begins(fields) ? kind : undefined;
      case 'p':
      case 's':
        return this.#beginsPart(kind, fields) ? kind : undefined;
      case 't':
        return this.#isHere(fields) ? kind : undefined;
      case 'e':
        return this.#endsPart(fields) ? kind : undefined;
      case 'd':
        return this.#ends(fields) ? kind : undefined;
      default:
        return undefined;
    }
  }

  #begins({ output_index: index, item }: WireObject): boolean {
    if (this.#isOpen || index !== this.#index + 1 || !isObject(item)) return false;
    // An item that is stored unchanged also counts.
    this.#index += 1;
    this.#part = -1;
    this.#isOpen = isOrdered(item);
    this.#isCall = 'call_id' in item;
    this.#isPartOpen = false;
    return this.#isOpen;
  }

  #beginsPart(kind: 'p' | 's', fields: WireObject): boolean {
    const list = kind === 'p' ? 'content_index' : 'summary_index';
    const next = list === this.#list ? this.#part + 1 : 0;
    const { part } = fields;
    if (!this.#isInItem(fields) || this.#isPartOpen || fields[list] !== next) return false;
    if (!isObject(part) || !partTypes.has(part.type)) return false;
    this.#list = list;
    this.#part = next;
    this.#isPartOpen = true;
    return true;
  }

  #piece(type: string, fields: WireObject): EventCode | undefined {
    const isText = isKnown(type.replace(/\.delta$/, '.done'));
    if (!isText || typeof fields.delta !== 'string' || !this.#isHere(fields)) return undefined;
    return deltaCode(fields.delta.length, listOf(fields.logprobs).length);
  }

  #endsPart(fields: WireObject): boolean {
    if (!this.#isPartOpen || !this.#isHere(fields)) return false;
    this.#isPartOpen = false;
    return true;
  }

  #ends(fields: WireObject): boolean {
    if (!this.#isInItem(fields)) return false;
    this.#isOpen = false;
    return true;
  }

  #isInItem({ output_index: index }: WireObject): boolean {
    return this.#isOpen && index === this.#index;
  }

  /** Whether the event belongs to the open text. */
  #isHere(fields: WireObject): boolean {
    if (!this.#isInItem(fields)) return false;
    return this.#isPartOpen ? fields[this.#list] === this.#part : this.#isCall;
  }

  #whole({ fields, data }: PassedEvent): EventCode {
    this.#left -= data.length;
    if (this.#left < 0) return 'k';
    const { sequence_number: _, ...rest } = fields;
    return rest;
  }
}
