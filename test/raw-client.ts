import { connect, type Socket } from 'node:net';
import { GrowingBytes } from '../src/serving/http/body/growing-bytes.ts';

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name; a header sent twice is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Head and body, framing included. */
  readonly raw: string;
}

/** Sends bytes over a fresh connection, reads one response, and closes. */
export async function rawExchange(port: number, bytes: string | Uint8Array): Promise<RawResponse> {
  const client = await RawClient.connect(port);
  try {
    client.send(bytes);
    return await client.response();
  } finally {
    client.destroy();
  }
}

/** A client that sends any bytes, and reads one response after the other. */
export class RawClient {
  readonly socket: Socket;
  readonly #bytes = new GrowingBytes();
  #read = 0;
  #isEnded = false;
  #error: Error | undefined;
  #wake: () => void = () => {};

  static connect(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawClient(socket));
      });
    });
  }

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (piece) => {
      this.#bytes.add(piece);
      this.#wake();
    });
    socket.on('error', (error) => {
      this.#error = error;
    });
    socket.on('end', () => this.#ended());
    socket.on('close', () => this.#ended());
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Closes the sending side only. */
  finish(): void {
    this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** The next response. A 1xx counts as one, without a body. With `isHead`, no body follows the headers. */
  async response(isHead = false): Promise<RawResponse> {
    for (;;) {
      const parsed = parse(this.#received, this.#isEnded, isHead);
      if (parsed) {
        this.#read += parsed.length;
        return parsed.response;
      }
      if (this.#isEnded) {
        const got = JSON.stringify(this.#received.toString('latin1'));
        throw new Error(`The connection ended without a whole response; got ${got}`, { cause: this.#error });
      }
      await this.#more();
    }
  }

  /** Resolves when at least this text has arrived and returns everything not yet read as a response. */
  async received(text: string): Promise<string> {
    while (!this.#received.includes(text)) {
      if (this.#isEnded) throw new Error(`The connection ended before ${JSON.stringify(text)}`, { cause: this.#error });
      await this.#more();
    }
    return this.#received.toString();
  }

  /** Resolves when the server has closed its side, and returns all bytes not yet read as a response. */
  async rest(): Promise<string> {
    while (!this.#isEnded) await this.#more();
    return this.#received.toString();
  }

  /** The error the connection broke with, such as a reset. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** The bytes not yet read as a response. */
  get #received(): Buffer {
    return this.#bytes.bytes.subarray(this.#read);
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #ended(): void {
    this.#isEnded = true;
    this.#wake();
  }
}

interface Parsed {
  readonly response: RawResponse;
  readonly length: number;
}

function parse(bytes: Buffer, isEnded: boolean, isHead: boolean): Parsed | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (!status) throw new Error(`Not a status line: ${JSON.stringify(statusLine)}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const start = headEnd + 4;
  const body = isHead || status < 200 || status === 204 ? empty : bodyOf(headers, bytes.subarray(start), isEnded);
  if (!body) return undefined;
  const length = start + body.length;
  return { response: { status, headers, body: body.text, raw: bytes.toString('utf8', 0, length) }, length };
}

const empty = { text: '', length: 0 };

function bodyOf(headers: Record<string, string>, bytes: Buffer, isEnded: boolean): typeof empty | undefined {
  if (headers['transfer-encoding'] === 'chunked') return chunkedBody(bytes);
  const announced = headers['content-length'];
  const length = announced === undefined ? bytes.length : Number(announced);
  const isComplete = announced === undefined ? isEnded : bytes.length >= length;
  return isComplete ? { text: bytes.toString('utf8', 0, length), length } : undefined;
}

function chunkedBody(bytes: Buffer): typeof empty | undefined {
  const pieces: Buffer[] = [];
  let position = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', position);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', position, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    pieces.push(bytes.subarray(lineEnd + 2, end - 2));
    position = end;
    if (size === 0) return { text: Buffer.concat(pieces).toString('utf8'), length: position };
  }
}
