/** Numbers the events of one response and writes each as a frame of its own. */
export class EventFrames {
  #sequence = 0;

  /** How many events have been written. */
  get count(): number {
    return this.#sequence;
  }

  frame(type: string, fields: object): string {
    return this.text(type, JSON.stringify(fields).slice(1, -1));
  }

  /** The same for fields that are JSON already, without the braces around them. */
  text(type: string, fields: string): string {
    const number = this.#sequence;
    this.#sequence += 1;
    const rest = fields === '' ? '' : `,${fields}`;
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${number}${rest}}\n\n`;
  }

  /** The number of an event that somebody else writes. */
  next(): number {
    this.#sequence += 1;
    return this.#sequence - 1;
  }
}

/** Ends every stream of the format. */
export const doneFrame = 'data: [DONE]\n\n';
