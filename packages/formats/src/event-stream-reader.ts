/** Receives the data of one complete event, and its name if it has one. */
export type OnEvent = (data: string, name: string | undefined) => void;

export interface EventLimit {
  readonly charactersMax: number;
  readonly onTooLong: () => void;
}

/** For bodies that have a limit of their own. */
const unlimited: EventLimit = { charactersMax: Number.POSITIVE_INFINITY, onTooLong: () => {} };

/** Reads server-sent events from text in pieces. Ids, retry times, comments and unknown fields are skipped. */
export class EventStreamReader {
  readonly #onEvent: OnEvent;
  readonly #limit: EventLimit;
  #line = '';
  #data: string | undefined;
  #name: string | undefined;
  #isStart = true;
  /** The last piece ended with a CR, which may be half of a CRLF. */
  #endedWithReturn = false;

  /** `onTooLong` throws. It is called as soon as an event's data is longer than `charactersMax`, complete or not. */
  constructor(onEvent: OnEvent, limit: EventLimit = unlimited) {
    this.#onEvent = onEvent;
    this.#limit = limit;
  }

  push(text: string): void {
    if (text === '') return;
    const lines = this.#withLineFeeds(text);
    let from = 0;
    for (let end = lines.indexOf('\n'); end >= 0; end = lines.indexOf('\n', from)) {
      if (this.#line === '') this.#take(lines, from, end);
      else this.#takeKept(lines.slice(0, end));
      from = end + 1;
    }
    if (from < lines.length) this.#keep(lines.slice(from));
  }

  #withLineFeeds(text: string): string {
    const isMark = this.#isStart && text.startsWith('\uFEFF');
    const isRestOfEnd = this.#endedWithReturn && text.startsWith('\n');
    this.#isStart = false;
    this.#endedWithReturn = text.endsWith('\r');
    const rest = isMark || isRestOfEnd ? text.slice(1) : text;
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  /** A line that is not data is cut to its beginning, so that it may have any length. */
  #keep(piece: string): void {
    // V8 joins the pieces only when the line is read, so a long line does not take quadratic time.
    this.#line += piece;
    if ((this.#data?.length ?? 0) + this.#line.length <= this.#limit.charactersMax + 'data: '.length) return;
    if (this.#line.startsWith('data')) this.#limit.onTooLong();
    this.#line = this.#line.slice(0, 'data: '.length);
  }

  #takeKept(rest: string): void {
    const line = this.#line + rest;
    this.#line = '';
    this.#take(line, 0, line.length);
  }

  /** Takes the line between two indices: most lines are data, and copied only once. */
  #take(text: string, from: number, end: number): void {
    if (from === end) this.#finish();
    else if (text.startsWith('data', from)) this.#addData(valueIn(text, from + 'data'.length, end));
    else if (text.startsWith('event', from)) this.#setName(valueIn(text, from + 'event'.length, end));
  }

  #addData(value: string | undefined): void {
    if (value === undefined) return;
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    if (this.#data.length > this.#limit.charactersMax) this.#limit.onTooLong();
  }

  #setName(value: string | undefined): void {
    if (value !== undefined) this.#name = value === '' ? undefined : value;
  }

  #finish(): void {
    const data = this.#data;
    const name = this.#name;
    this.#data = undefined;
    this.#name = undefined;
    if (data !== undefined) this.#onEvent(data, name);
  }
}

/** The value after a field's name; undefined if the field has a longer name. */
function valueIn(text: string, at: number, end: number): string | undefined {
  if (at === end) return '';
  if (text[at] !== ':') return undefined;
  return text.slice(at + 1 < end && text[at + 1] === ' ' ? at + 2 : at + 1, end);
}
