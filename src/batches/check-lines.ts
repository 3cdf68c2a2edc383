import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LineProblem } from './batch-rows.ts';

/** Where the text of a line is in its file. */
export interface LinePlace {
  readonly line: number;
  readonly customId: string;
  readonly chunk: number;
  readonly firstByte: number;
  readonly bytes: number;
}

export interface LineRules {
  readonly endpoint: string;
  readonly linesMax: number;
  /** Whether the key may use the model on the endpoint. Undefined: each line finds out when it runs. */
  readonly canUse?: ((model: string) => boolean) | undefined;
}

/** A report with more problems does not help to correct the file. */
const problemsMax = 100;
const customIdMax = 512;
const newline = 0x0a;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Checks the lines of a file as its chunks come. Blank lines, CRLF and a byte order mark are accepted. */
export class LineChecker {
  readonly problems: LineProblem[] = [];
  /** The number of lines that are requests. */
  requests = 0;
  readonly #rules: LineRules;
  readonly #ids = new Set<string>();
  #line = 0;
  #chunk = -1;
  /** The last chunk ended inside a line that is too long for one chunk. */
  #isInside = false;

  constructor(rules: LineRules) {
    this.#rules = rules;
  }

  get isHopeless(): boolean {
    return this.problems.length >= problemsMax || this.requests > this.#rules.linesMax;
  }

  /** The requests of the next chunk. Every chunk but the last ends with a newline, unless its line is too long. */
  async take(bytes: Buffer, isLast: boolean): Promise<readonly LinePlace[]> {
    this.#chunk += 1;
    const places: LinePlace[] = [];
    let at = this.#chunk === 0 && bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    while (at < bytes.length && !this.isHopeless) {
      const found = bytes.indexOf(newline, at);
      const end = found < 0 ? bytes.length : found;
      const isWhole = found >= 0 || isLast;
      const place = this.#isInside ? this.#skip(isWhole) : this.#next(bytes, at, end, isWhole);
      if (place) places.push(place);
      at = end + 1;
    }
    await nextTurn();
    return places;
  }

  /** Problems of the file as a whole, once all chunks are taken. */
  finish(): readonly LineProblem[] {
    const { linesMax } = this.#rules;
    if (this.requests > linesMax) {
      const message = `The file has more than ${linesMax} requests. Split it into several batches.`;
      return [{ code: 'too_many_tasks', message, param: null, line: null }];
    }
    if (this.requests === 0 && this.problems.length === 0) {
      return [{ code: 'empty_file', message: 'The file has no requests.', param: null, line: null }];
    }
    return this.problems;
  }

  #skip(isWhole: boolean): undefined {
    this.#isInside = !isWhole;
    return undefined;
  }

  #next(bytes: Buffer, at: number, end: number, isWhole: boolean): LinePlace | undefined {
    this.#line += 1;
    if (!isWhole) {
      this.#isInside = true;
      return this.#refuse('line_too_long', 'The line is longer than a request may be. Send a smaller request.');
    }
    const text = bytes.subarray(at, end);
    if (isBlank(text)) return undefined;
    this.requests += 1;
    if (!isUtf8(text)) return this.#refuse('invalid_json_line', 'The line is not valid UTF-8.');
    const customId = this.#read(text.toString('utf8'));
    if (customId === undefined) return undefined;
    return { line: this.#line, customId, chunk: this.#chunk, firstByte: at, bytes: text.length };
  }

  /** The `custom_id` of a valid line. */
  #read(text: string): string | undefined {
    const request = objectIn(text);
    if (!request) return this.#refuse('invalid_json_line', 'The line is not a JSON object.');
    const { custom_id: customId, method, url, body } = request;
    if (typeof customId !== 'string' || customId === '' || customId.length > customIdMax) {
      const message = `custom_id must be a text of 1 to ${customIdMax} characters.`;
      return this.#refuse('missing_required_parameter', message, 'custom_id');
    }
    if (this.#ids.has(customId)) {
      return this.#refuse('duplicate_custom_id', 'An earlier line has the same custom_id.', 'custom_id');
    }
    this.#ids.add(customId);
    if (method !== 'POST') return this.#refuse('invalid_method', 'method must be POST.', 'method');
    if (url !== this.#rules.endpoint) {
      return this.#refuse('mismatched_url', `url must be the endpoint of the batch, ${this.#rules.endpoint}.`, 'url');
    }
    return this.#isRunnable(body) ? customId : undefined;
  }

  #isRunnable(body: unknown): boolean {
    if (!isRecord(body)) {
      this.#refuse('missing_required_parameter', 'body must be an object.', 'body');
    } else if (body['stream'] === true || body['background'] === true) {
      const name = body['stream'] === true ? 'stream' : 'background';
      this.#refuse('invalid_parameter', `A line of a batch cannot have ${name}: true. Leave it out.`, `body.${name}`);
    } else if (typeof body['model'] !== 'string') {
      this.#refuse('missing_required_parameter', 'body.model must be the name of a model.', 'body.model');
    } else if (this.#rules.canUse?.(body['model']) === false) {
      const message = 'The model does not exist, or this key may not use it on this endpoint.';
      this.#refuse('model_not_found', message, 'body.model');
    } else return true;
    return false;
  }

  #refuse(code: string, message: string, param: string | null = null): undefined {
    this.problems.push({ code, message, param, line: this.#line });
    return undefined;
  }
}

function isBlank(text: Buffer): boolean {
  return text.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
