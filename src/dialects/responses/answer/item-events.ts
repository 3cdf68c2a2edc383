import type { WireObject } from '../../wire-value.ts';
import type { EventCodeKind } from './event-log.ts';
import {
  initialFields,
  isOrdered,
  type PartList,
  partLists,
  partsOf,
  type StreamedText,
  textOfItem,
  textOfPart,
} from './item-texts.ts';

/** An event before it is numbered and written. */
export type ResponseEvent = WireObject & { readonly type: string };

/** The kinds of events that the items of a response define. */
export type ItemEventKind = Extract<EventCodeKind, 'a' | 'p' | 's' | 't' | 'e' | 'd'>;

/** Replaces an event that the items do not define. */
export const keepalive: ResponseEvent = { type: 'keepalive' };

/**
 * Builds the events of a response from its items, one after the other. Tracks the item and the text of the current
 * event. The stream and the replay both use it, so that a replay has exactly the events of the stream.
 */
export class ItemEvents {
  readonly #output: readonly WireObject[];
  #index = -1;
  #list: PartList = 'content';
  #part = -1;
  /** Characters and logprob records of the open text that were sent as deltas. */
  #characters = 0;
  #records = 0;

  /** The items may change between two events. */
  constructor(output: readonly WireObject[]) {
    this.#output = output;
  }

  /** Moves to an item whose added event is not built here. */
  open(index: number): void {
    this.#index = index;
    this.#openText(-1);
  }

  event(kind: ItemEventKind): ResponseEvent {
    switch (kind) {
      case 'a':
        this.open(this.#index + 1);
        return this.#itemEvent('added');
      case 'p':
      case 's':
        this.#openPart(kind === 'p' ? 'content' : 'summary');
        return this.#partEvent('added');
      case 't':
        return this.#textDone();
      case 'e':
        return this.#partEvent('done');
      case 'd':
        return this.#itemEvent('done');
      default:
        kind satisfies never;
        return keepalive;
    }
  }

  /** The next delta of the open text. */
  delta(characters: number, records: number): ResponseEvent {
    const open = this.#text;
    if (!open) return keepalive;
    const delta = open.text.slice(this.#characters, this.#characters + characters);
    const logprobs = open.logprobs?.slice(this.#records, this.#records + records);
    this.#characters += characters;
    this.#records += records;
    return { type: `response.${open.event}.delta`, ...this.#position, delta, ...(logprobs && { logprobs }) };
  }

  #openPart(list: PartList): void {
    this.#openText(this.#list === list ? this.#part + 1 : 0);
    this.#list = list;
  }

  #openText(part: number): void {
    this.#part = part;
    this.#characters = 0;
    this.#records = 0;
  }

  #itemEvent(step: 'added' | 'done'): ResponseEvent {
    const item = this.#item;
    if (!item) return keepalive;
    const shown = step === 'added' ? emptyItem(item) : item;
    return { type: `response.output_item.${step}`, output_index: this.#index, item: shown };
  }

  #partEvent(step: 'added' | 'done'): ResponseEvent {
    const part = partsOf(this.#item, this.#list)[this.#part];
    if (!part) return keepalive;
    const { event } = partLists[this.#list];
    return { type: `response.${event}.${step}`, ...this.#position, part: step === 'added' ? emptyPart(part) : part };
  }

  #textDone(): ResponseEvent {
    const open = this.#text;
    if (!open) return keepalive;
    const name = open.field === 'arguments' ? { name: this.#item?.name } : {};
    const logprobs = open.logprobs ? { logprobs: open.logprobs } : {};
    return { type: `response.${open.event}.done`, ...this.#position, ...name, [open.field]: open.text, ...logprobs };
  }

  get #item(): WireObject | undefined {
    return this.#output[this.#index];
  }

  get #text(): StreamedText | undefined {
    if (this.#part < 0) return this.#item && textOfItem(this.#item);
    const part = partsOf(this.#item, this.#list)[this.#part];
    return part && textOfPart(part);
  }

  get #position(): WireObject {
    const position = { item_id: this.#item?.id, output_index: this.#index };
    return this.#part < 0 ? position : { ...position, [partLists[this.#list].index]: this.#part };
  }
}

/** Returns an item without its content, as in its added event. */
function emptyItem(item: WireObject): WireObject {
  // It is sent as one complete item.
  if (item.type === 'compaction') return item;
  const { encrypted_content: _, ...rest } = item;
  const started = { ...rest, status: 'in_progress' };
  if (item.type === 'tool_search_call') return { ...started, arguments: {} };
  return isOrdered(item) ? { ...started, ...initialFields(item) } : started;
}

function emptyPart(part: WireObject): WireObject {
  if (part.type === 'refusal') return { ...part, refusal: '' };
  if (part.type === 'output_text') return { ...part, text: '', annotations: [], logprobs: [] };
  return { ...part, text: '' };
}
