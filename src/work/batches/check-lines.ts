import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ForeignJsonError, foreignLimits, parseForeign } from 'chat-formats/json/foreign-json.ts';
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
/** A body has the limits of a live one. The line around it is one level with eight values and names. */
const lineLimits = { depthMax: foreignLimits.depthMax + 1, tokensMax: foreignLimits.tokensMax + 8 };
/** Other requests of the process run after so much of a chunk. */
const sliceBytes = 64 * 1024;
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
  /** A line that goes on in the next chunk. Uploads limit its length. */
  #open: { readonly pieces: Buffer[]; readonly chunk: number; readonly firstByte: number } | undefined;

  constructor(rules: LineRules) {
    this.#rules = rules;
  }

  get isHopeless(): boolean {
    return this.problems.length >= problemsMax || this.requests > this.#rules.linesMax;
  }

  /** The requests that end in the next chunk. */
  async take(bytes: Buffer, isLast: boolean): Promise<readonly LinePlace[]> {
    this.#chunk += 1;
    const places: LinePlace[] = [];
    let at = this.#chunk === 0 && bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    let pauseAt = sliceBytes;
    while (at < bytes.length && !this.isHopeless) {
      if (at >= pauseAt) {
        await nextTurn();
        pauseAt = at + sliceBytes;
      }
      const found = bytes.indexOf(newline, at);
      const end = found < 0 ? bytes.length : found;
      const piece = bytes.subarray(at, end);
      const place = found >= 0 || isLast ? this.#next(piece, at) : this.#keep(piece, at);
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

  #keep(piece: Buffer, firstByte: number): undefined {
    this.#open ??= { pieces: [], chunk: this.#chunk, firstByte };
    this.#open.pieces.push(piece);
  }

  #next(piece: Buffer, at: number): LinePlace | undefined {
    const { pieces, chunk, firstByte } = this.#open ?? { pieces: [], chunk: this.#chunk, firstByte: at };
    this.#open = undefined;
    this.#line += 1;
    const text = pieces.length === 0 ? piece : Buffer.concat([...pieces, piece]);
    if (isBlank(text)) return undefined;
    this.requests += 1;
    if (!isUtf8(text)) return this.#refuse('invalid_json_line', 'The line is not valid UTF-8.');
    const customId = this.#read(text.toString('utf8'));
    if (customId === undefined) return undefined;
    return { line: this.#line, customId, chunk, firstByte, bytes: text.length };
  }

  /** The `custom_id` of a valid line. */
  #read(text: string): string | undefined {
    const request = this.#objectIn(text);
    if (!request) return undefined;
    const { custom_id: customId, method, url, body } = request;
    if (!isCustomId(customId)) {
      const message = `custom_id must be a text of 1 to ${customIdMax} characters without NUL.`;
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

  #objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
    try {
      const value = parseForeign(text, lineLimits);
      if (isRecord(value)) return value;
    } catch (error) {
      if (!(error instanceof ForeignJsonError)) throw error;
      if (error.flaw !== 'syntax') return this.#refuse('invalid_json_line', error.message);
    }
    return this.#refuse('invalid_json_line', 'The line is not a JSON object.');
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

/** Outputs repeat it exactly, and not every database can store a NUL. */
function isCustomId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= customIdMax && !value.includes('\0');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
