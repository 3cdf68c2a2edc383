import { type EventCode, markOf } from './score.ts';

/** Numbers the events of one response and writes each as a frame of its own. */
export class EventFrames {
  #sequence = 0;
  readonly #score: EventCode[] | undefined;

  /** What is said of each event goes into the score, if there is one, at the place of its number. */
  constructor(score?: EventCode[]) {
    this.#score = score;
  }

  frame(type: string, fields: object, mark: EventCode = markOf(type)): string {
    this.#score?.push(mark);
    return this.#numbered(type, JSON.stringify(fields).slice(1, -1));
  }

  /** A piece of a text: its fields are JSON already, without the braces around them. */
  piece(type: string, fields: string, mark: EventCode): string {
    this.#score?.push(mark);
    return this.#numbered(type, fields);
  }

  /** The number of an event that somebody else writes. */
  next(mark: () => EventCode): number {
    this.#score?.push(mark());
    this.#sequence += 1;
    return this.#sequence - 1;
  }

  #numbered(type: string, fields: string): string {
    const number = this.#sequence;
    this.#sequence += 1;
    return eventFrame(type, number, fields);
  }
}

/** One event; its fields are JSON without the braces around them. */
export function eventFrame(type: string, number: number, fields: string): string {
  const rest = fields === '' ? '' : `,${fields}`;
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${number}${rest}}\n\n`;
}

/** Ends every stream of the format. */
export const doneFrame = 'data: [DONE]\n\n';

/** Says nothing, and keeps a connection. */
export const comment = ': keep-alive\n\n';
