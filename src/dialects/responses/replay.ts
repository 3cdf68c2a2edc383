import { isObject, listOf, type WireObject } from '../wire-value.ts';
import { doneFrame, eventFrame } from './event-frames.ts';
import { type EventCodeKind, type EventCode, plainScore, type Score } from './score.ts';
import { partAt, type ToldText, textOfItem, textOfPart } from './told-texts.ts';

/**
 * Returns the events of a complete response as its client received them, with the same numbers. Events up to
 * `startingAfter` are omitted. If the response was not streamed, every text is one delta.
 */
export function replayedEvents(response: WireObject, score: Score = plainScore(response), startingAfter = -1): string {
  return toldFrames(response, score, startingAfter) + doneFrame;
}

/** Like `replayedEvents`, for a response that is not complete: returns the events sent so far. */
export function toldFrames(response: WireObject, score: Score, startingAfter = -1): string {
  const told = new ResponseReplay(response);
  let frames = '';
  for (const [number, mark] of score.entries()) {
    const { type, ...fields } = told.event(mark);
    if (number > startingAfter) frames += eventFrame(type, number, JSON.stringify(fields).slice(1, -1));
  }
  return frames;
}

type ReplayedEvent = WireObject & { readonly type: string };

/** Replays an event log, and tracks the item and text of the current event. */
class ResponseReplay {
  readonly #response: WireObject;
  readonly #output: readonly WireObject[];
  #index = -1;
  #list: 'content' | 'summary' = 'content';
  #part = -1;
  /** Characters and logprob records of the open text that have been replayed. */
  #told = 0;
  #records = 0;

  constructor(response: WireObject) {
    this.#response = response;
    this.#output = listOf(response.output).filter(isObject);
  }

  event(mark: EventCode): ReplayedEvent {
    if (typeof mark === 'number') return this.#piece(mark, 0);
    if (Array.isArray(mark)) return this.#piece(Number(mark[0]), Number(mark[1]));
    if (isObject(mark)) return this.#asItCame(mark);
    return this.#one(mark as EventCodeKind);
  }

  #asItCame(event: WireObject): ReplayedEvent {
    const { type, output_index: index } = event;
    if (type === 'response.output_item.added' && typeof index === 'number') this.#open(index);
    return { ...event, type: String(type) };
  }

  #one(kind: EventCodeKind): ReplayedEvent {
    switch (kind) {
      case 'C':
        return this.#begun('created', 'queued');
      case 'c':
        return this.#begun('created', 'in_progress');
      case 'q':
        return this.#begun('queued', 'queued');
      case 'i':
        return this.#begun('in_progress', 'in_progress');
      case 'a':
        this.#open(this.#index + 1);
        return this.#item('added');
      case 'p':
      case 's':
        this.#openPart(kind === 'p' ? 'content' : 'summary');
        return this.#partEvent('added');
      case 't':
        return this.#textDone();
      case 'e':
        return this.#partEvent('done');
      case 'd':
        return this.#item('done');
      case 'z':
        return { type: `response.${String(this.#response.status)}`, response: this.#response };
      default:
        return silence;
    }
  }

  #begun(event: string, status: 'queued' | 'in_progress'): ReplayedEvent {
    const { end_turn: _, ...rest } = this.#response;
    const nothing = { completed_at: null, incomplete_details: null, output: [], usage: null };
    return { type: `response.${event}`, response: { ...rest, status, ...nothing } };
  }

  #open(index: number): void {
    this.#index = index;
    this.#part = -1;
    this.#told = 0;
    this.#records = 0;
  }

  #openPart(list: 'content' | 'summary'): void {
    this.#part = this.#list === list ? this.#part + 1 : 0;
    this.#list = list;
    this.#told = 0;
    this.#records = 0;
  }

  #item(what: 'added' | 'done'): ReplayedEvent {
    const item = this.#output[this.#index];
    if (!item) return silence;
    const shown = what === 'added' ? emptied(item) : item;
    return { type: `response.output_item.${what}`, output_index: this.#index, item: shown };
  }

  #partEvent(what: 'added' | 'done'): ReplayedEvent {
    const item = this.#output[this.#index];
    const part = item && partAt(item, this.#list, this.#part);
    if (!part) return silence;
    const event = this.#list === 'content' ? 'content_part' : 'reasoning_summary_part';
    return { type: `response.${event}.${what}`, ...this.#place(), part: what === 'added' ? emptyPart(part) : part };
  }

  #piece(characters: number, records: number): ReplayedEvent {
    const open = this.#openText();
    if (!open) return silence;
    const delta = open.text.slice(this.#told, this.#told + characters);
    const logprobs = open.logprobs?.slice(this.#records, this.#records + records);
    this.#told += characters;
    this.#records += records;
    return { type: `response.${open.event}.delta`, ...this.#place(), delta, ...(logprobs && { logprobs }) };
  }

  #textDone(): ReplayedEvent {
    const open = this.#openText();
    const item = this.#output[this.#index];
    if (!open || !item) return silence;
    const name = open.field === 'arguments' ? { name: item.name } : {};
    const logprobs = open.logprobs ? { logprobs: open.logprobs } : {};
    return { type: `response.${open.event}.done`, ...this.#place(), ...name, [open.field]: open.text, ...logprobs };
  }

  #openText(): ToldText | undefined {
    const item = this.#output[this.#index];
    if (!item) return undefined;
    if (this.#part < 0) return textOfItem(item);
    const part = partAt(item, this.#list, this.#part);
    return part && textOfPart(part);
  }

  #place(): WireObject {
    const place = { item_id: this.#output[this.#index]?.id, output_index: this.#index };
    if (this.#part < 0) return place;
    return { ...place, [this.#list === 'content' ? 'content_index' : 'summary_index']: this.#part };
  }
}

/** Replaces an event that cannot be replayed, at its number. */
const silence: ReplayedEvent = { type: 'keepalive' };

/** Returns an item without its content, as in its added event. */
function emptied(item: WireObject): WireObject {
  const { encrypted_content: _, ...rest } = item;
  const begun = { ...rest, status: 'in_progress' };
  switch (item.type) {
    case 'message':
      return { ...begun, content: [] };
    case 'reasoning':
      return { ...begun, summary: [], ...(Array.isArray(item.content) && { content: [] }) };
    case 'function_call':
      return { ...begun, arguments: '' };
    case 'custom_tool_call':
      return { ...begun, input: '' };
    case 'tool_search_call':
      return { ...begun, arguments: {} };
    // It is sent as one complete item.
    case 'compaction':
      return item;
    default:
      return begun;
  }
}

function emptyPart(part: WireObject): WireObject {
  if (part.type === 'refusal') return { ...part, refusal: '' };
  if (part.type === 'output_text') return { ...part, text: '', annotations: [], logprobs: [] };
  return { ...part, text: '' };
}
