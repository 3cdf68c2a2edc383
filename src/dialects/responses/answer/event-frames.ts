import { type EventCode, eventCodeOf } from './event-log.ts';
import type { ResponseEvent } from './item-events.ts';

export class EventFrames {
  #sequence = 0;
  readonly #score: EventCode[] | undefined;

  /** If a score is given, the code of each event is appended to it. Its index is the event's number. */
  constructor(score?: EventCode[]) {
    this.#score = score;
  }

  frame({ type, ...fields }: ResponseEvent, code: EventCode = eventCodeOf(type)): string {
    return this.piece(type, JSON.stringify(fields).slice(1, -1), code);
  }

  /** Writes an event. Its fields are already JSON, without the braces around them. */
  piece(type: string, fields: string, code: EventCode): string {
    this.#score?.push(code);
    this.#sequence += 1;
    return eventFrame(type, this.#sequence - 1, fields);
  }

  /** Returns the number of an event that the caller writes. */
  next(code: () => EventCode): number {
    this.#score?.push(code());
    this.#sequence += 1;
    return this.#sequence - 1;
  }
}

export function eventFrame(type: string, number: number, fields: string): string {
  const rest = fields === '' ? '' : `,${fields}`;
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${number}${rest}}\n\n`;
}

export const doneFrame = 'data: [DONE]\n\n';

/** An SSE comment that keeps a connection open. */
export const comment = ': keep-alive\n\n';
