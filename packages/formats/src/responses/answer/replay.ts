import { isObject, listOf, type WireObject } from '../../wire-value.ts';
import {
  doneFrame,
  eventFrame,
  type EventCodeKind,
  type EventCode,
  unstreamedScore,
  type EventLog,
} from './event-log.ts';
import { itemEvent, ItemEvents, type ResponseEvent } from './item-events.ts';
import { initialFields, isOrdered, kindOfPart, type PartList, partsOf, wholeText } from './item-texts.ts';

/**
 * The events of a complete response as its client received them, with the same numbers, after `startingAfter`.
 * `opening` is the response of its first events, if it differs in more than its progress.
 */
export function replayedEvents(
  response: WireObject,
  score: EventLog = unstreamedScore(response),
  startingAfter = -1,
  opening = response,
): string {
  return framesSoFar(response, score, startingAfter, opening) + doneFrame;
}

/** Like `replayedEvents`, for a response that is not complete: returns the events sent so far. */
export function framesSoFar(response: WireObject, score: EventLog, startingAfter = -1, opening = response): string {
  const replay = new ResponseReplay(response, opening);
  let frames = '';
  for (const [number, code] of score.entries()) {
    const { type, ...fields } = replay.event(code);
    if (number > startingAfter) frames += eventFrame(type, number, JSON.stringify(fields).slice(1, -1));
  }
  return frames;
}

class ResponseReplay {
  readonly #response: WireObject;
  readonly #opening: WireObject;
  readonly #output: readonly WireObject[];
  #index = -1;
  #events: ItemEvents | undefined;

  constructor(response: WireObject, opening: WireObject) {
    this.#response = response;
    this.#opening = opening;
    this.#output = listOf(response.output).filter(isObject);
  }

  event(code: EventCode): ResponseEvent {
    if (typeof code === 'number') return this.#delta(code, 0);
    if (Array.isArray(code)) return this.#delta(Number(code[0]), Number(code[1]));
    if (isObject(code)) return this.#storedEvent(code);
    return this.#eventOfKind(code as EventCodeKind);
  }

  #storedEvent(event: WireObject): ResponseEvent {
    const { type, output_index: index } = event;
    if (type === 'response.output_item.added' && typeof index === 'number') this.#open(index);
    return { ...event, type: String(type) };
  }

  #eventOfKind(kind: EventCodeKind): ResponseEvent {
    const lifecycle = lifecycles.get(kind);
    if (lifecycle) return this.#lifecycle(...lifecycle);
    if (kind === 'z') return { type: `response.${String(this.#response.status)}`, response: this.#response };
    return this.#itemEvent(kind) ?? keepalive;
  }

  #lifecycle(event: string, status: 'queued' | 'in_progress'): ResponseEvent {
    const { end_turn: _, ...rest } = this.#opening;
    const cleared = { completed_at: null, incomplete_details: null, output: [], usage: null };
    return { type: `response.${event}`, response: { ...rest, status, ...cleared } };
  }

  #itemEvent(kind: EventCodeKind): ResponseEvent | undefined {
    switch (kind) {
      case 'a':
        this.#open(this.#index + 1);
        return this.#events?.added();
      case 'p':
        return this.#partAdded('content');
      case 's':
        return this.#partAdded('summary');
      case 't': {
        const whole = this.#whole;
        return whole && this.#events?.textDone(whole.text, whole.logprobs).at(-1);
      }
      case 'e': {
        const list = this.#events?.text?.kind.list;
        return list && this.#events?.partDone(this.#nextPart(list)).at(-1);
      }
      case 'd': {
        const item = this.#output[this.#index];
        return item && itemEvent('done', this.#index, item);
      }
      default:
        return undefined;
    }
  }

  #open(index: number): void {
    const item = this.#output[index];
    this.#index = index;
    this.#events = item && new ItemEvents(index, emptyItem(item));
  }

  #partAdded(list: PartList): ResponseEvent | undefined {
    const part = this.#nextPart(list);
    return part && this.#events?.openPart(kindOfPart(part), emptyPart(part)).at(-1);
  }

  #delta(characters: number, records: number): ResponseEvent {
    const open = this.#events?.text;
    const whole = this.#whole;
    if (!open || !whole) return keepalive;
    const delta = whole.text.slice(open.sent.length, open.sent.length + characters);
    const logprobs = whole.logprobs.slice(open.records.length, open.records.length + records);
    return this.#events?.delta(open.kind, delta, logprobs).at(-1) ?? keepalive;
  }

  get #whole() {
    const kind = this.#events?.text?.kind;
    const owner = kind?.list ? this.#nextPart(kind.list) : this.#output[this.#index];
    return kind && owner && wholeText(kind, owner);
  }

  /** The first part that is not done, with its complete text. */
  #nextPart(list: PartList): WireObject | undefined {
    return partsOf(this.#output[this.#index], list)[this.#events?.partsDone(list).length ?? 0];
  }
}

const lifecycles: ReadonlyMap<EventCodeKind, readonly [event: string, status: 'queued' | 'in_progress']> = new Map([
  ['C', ['created', 'queued']],
  ['c', ['created', 'in_progress']],
  ['q', ['queued', 'queued']],
  ['i', ['in_progress', 'in_progress']],
]);

/** Replaces an event that the response does not define. */
const keepalive: ResponseEvent = { type: 'keepalive' };

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
