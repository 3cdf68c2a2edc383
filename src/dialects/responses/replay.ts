import { isObject, listOf, type WireObject } from '../wire-value.ts';
import { doneFrame, eventFrame } from './event-frames.ts';
import { type EventCodeKind, type EventCode, unstreamedScore, type EventLog } from './event-log.ts';
import { partAt, type StreamedText, textOfItem, textOfPart } from './text-cursor.ts';

/**
 * Returns the events of a complete response as its client received them, with the same numbers. Events up to
 * `startingAfter` are omitted. If the response was not streamed, every text is one delta.
 */
export function replayedEvents(
  response: WireObject,
  score: EventLog = unstreamedScore(response),
  startingAfter = -1,
): string {
  return framesSoFar(response, score, startingAfter) + doneFrame;
}

/** Like `replayedEvents`, for a response that is not complete: returns the events sent so far. */
export function framesSoFar(response: WireObject, score: EventLog, startingAfter = -1): string {
  const replay = new ResponseReplay(response);
  let frames = '';
  for (const [number, code] of score.entries()) {
    const { type, ...fields } = replay.event(code);
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
  #characters = 0;
  #records = 0;

  constructor(response: WireObject) {
    this.#response = response;
    this.#output = listOf(response.output).filter(isObject);
  }

  event(code: EventCode): ReplayedEvent {
    if (typeof code === 'number') return this.#piece(code, 0);
    if (Array.isArray(code)) return this.#piece(Number(code[0]), Number(code[1]));
    if (isObject(code)) return this.#storedEvent(code);
    return this.#eventOfKind(code as EventCodeKind);
  }

  #storedEvent(event: WireObject): ReplayedEvent {
    const { type, output_index: index } = event;
    if (type === 'response.output_item.added' && typeof index === 'number') this.#open(index);
    return { ...event, type: String(type) };
  }

  #eventOfKind(kind: EventCodeKind): ReplayedEvent {
    switch (kind) {
      case 'C':
        return this.#lifecycle('created', 'queued');
      case 'c':
        return this.#lifecycle('created', 'in_progress');
      case 'q':
        return this.#lifecycle('queued', 'queued');
      case 'i':
        return this.#lifecycle('in_progress', 'in_progress');
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
        return keepalive;
    }
  }

  #lifecycle(event: string, status: 'queued' | 'in_progress'): ReplayedEvent {
    const { end_turn: _, ...rest } = this.#response;
    const cleared = { completed_at: null, incomplete_details: null, output: [], usage: null };
    return { type: `response.${event}`, response: { ...rest, status, ...cleared } };
  }

  #open(index: number): void {
    this.#index = index;
    this.#part = -1;
    this.#characters = 0;
    this.#records = 0;
  }

  #openPart(list: 'content' | 'summary'): void {
    this.#part = this.#list === list ? this.#part + 1 : 0;
    this.#list = list;
    this.#characters = 0;
    this.#records = 0;
  }

  #item(step: 'added' | 'done'): ReplayedEvent {
    const item = this.#output[this.#index];
    if (!item) return keepalive;
    const shown = step === 'added' ? emptyItem(item) : item;
    return { type: `response.output_item.${step}`, output_index: this.#index, item: shown };
  }

  #partEvent(step: 'added' | 'done'): ReplayedEvent {
    const item = this.#output[this.#index];
    const part = item && partAt(item, this.#list, this.#part);
    if (!part) return keepalive;
    const event = this.#list === 'content' ? 'content_part' : 'reasoning_summary_part';
    return { type: `response.${event}.${step}`, ...this.#position(), part: step === 'added' ? emptyPart(part) : part };
  }

  #piece(characters: number, records: number): ReplayedEvent {
    const open = this.#openText();
    if (!open) return keepalive;
    const delta = open.text.slice(this.#characters, this.#characters + characters);
    const logprobs = open.logprobs?.slice(this.#records, this.#records + records);
    this.#characters += characters;
    this.#records += records;
    return { type: `response.${open.event}.delta`, ...this.#position(), delta, ...(logprobs && { logprobs }) };
  }

  #textDone(): ReplayedEvent {
    const open = this.#openText();
    const item = this.#output[this.#index];
    if (!open || !item) return keepalive;
    const name = open.field === 'arguments' ? { name: item.name } : {};
    const logprobs = open.logprobs ? { logprobs: open.logprobs } : {};
    return { type: `response.${open.event}.done`, ...this.#position(), ...name, [open.field]: open.text, ...logprobs };
  }

  #openText(): StreamedText | undefined {
    const item = this.#output[this.#index];
    if (!item) return undefined;
    if (this.#part < 0) return textOfItem(item);
    const part = partAt(item, this.#list, this.#part);
    return part && textOfPart(part);
  }

  #position(): WireObject {
    const position = { item_id: this.#output[this.#index]?.id, output_index: this.#index };
    if (this.#part < 0) return position;
    return { ...position, [this.#list === 'content' ? 'content_index' : 'summary_index']: this.#part };
  }
}

/** Replaces an event that cannot be replayed, at its number. */
const keepalive: ReplayedEvent = { type: 'keepalive' };

/** Returns an item without its content, as in its added event. */
function emptyItem(item: WireObject): WireObject {
  const { encrypted_content: _, ...rest } = item;
  const started = { ...rest, status: 'in_progress' };
  switch (item.type) {
    case 'message':
      return { ...started, content: [] };
    case 'reasoning':
      return { ...started, summary: [], ...(Array.isArray(item.content) && { content: [] }) };
    case 'function_call':
      return { ...started, arguments: '' };
    case 'custom_tool_call':
      return { ...started, input: '' };
    case 'tool_search_call':
      return { ...started, arguments: {} };
    // It is sent as one complete item.
    case 'compaction':
      return item;
    default:
      return started;
  }
}

function emptyPart(part: WireObject): WireObject {
  if (part.type === 'refusal') return { ...part, refusal: '' };
  if (part.type === 'output_text') return { ...part, text: '', annotations: [], logprobs: [] };
  return { ...part, text: '' };
}
