import { isObject, listOf, type WireObject } from '../../wire-value.ts';
import { doneFrame, eventFrame } from './event-frames.ts';
import { type EventCodeKind, type EventCode, unstreamedScore, type EventLog } from './event-log.ts';
import { ItemEvents, keepalive, type ResponseEvent } from './item-events.ts';

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

/** Replays an event log. */
class ResponseReplay {
  readonly #response: WireObject;
  readonly #items: ItemEvents;

  constructor(response: WireObject) {
    this.#response = response;
    this.#items = new ItemEvents(listOf(response.output).filter(isObject));
  }

  event(code: EventCode): ResponseEvent {
    if (typeof code === 'number') return this.#items.delta(code, 0);
    if (Array.isArray(code)) return this.#items.delta(Number(code[0]), Number(code[1]));
    if (isObject(code)) return this.#storedEvent(code);
    return this.#eventOfKind(code as EventCodeKind);
  }

  #storedEvent(event: WireObject): ResponseEvent {
    const { type, output_index: index } = event;
    if (type === 'response.output_item.added' && typeof index === 'number') this.#items.open(index);
    return { ...event, type: String(type) };
  }

  #eventOfKind(kind: EventCodeKind): ResponseEvent {
    switch (kind) {
      case 'C':
        return this.#lifecycle('created', 'queued');
      case 'c':
        return this.#lifecycle('created', 'in_progress');
      case 'q':
        return this.#lifecycle('queued', 'queued');
      case 'i':
        return this.#lifecycle('in_progress', 'in_progress');
      case 'z':
        return { type: `response.${String(this.#response.status)}`, response: this.#response };
      case 'k':
        return keepalive;
      default:
        return this.#items.event(kind);
    }
  }

  #lifecycle(event: string, status: 'queued' | 'in_progress'): ResponseEvent {
    const { end_turn: _, ...rest } = this.#response;
    const cleared = { completed_at: null, incomplete_details: null, output: [], usage: null };
    return { type: `response.${event}`, response: { ...rest, status, ...cleared } };
  }
}
