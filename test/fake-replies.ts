import type { Socket } from 'node:net';

/** A request as the fake provider got it. */
export interface Call {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The JSON body, or `undefined` when there was none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Number of the connection it came in on, counted from 1. */
  readonly connection: number;
  readonly isAborted: boolean;
  /** Bytes the reply has written that the other side has not taken yet. */
  readonly bufferedBytes: number;
  /** Bytes handed to the operating system so far on this connection. */
  readonly sentBytes: number;
}

/** What the fake provider does with one request. A reply that returns without ending the body leaves it open. */
export type ScriptedReply = (writer: ReplyWriter, call: Call) => void | Promise<void>;

/** The provider's end of one exchange, down to the bytes. */
export class ReplyWriter {
  readonly #socket: Socket;
  #isChunked = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Status and headers; the body is chunked unless the headers say how long it is or that it ends with the connection. */
  head(status: number, headers: Readonly<Record<string, string>> = {}): void {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    this.#isChunked = !names.includes('content-length') && headers['connection'] !== 'close';
    const framing = this.#isChunked ? { 'transfer-encoding': 'chunked' } : {};
    const lines = Object.entries({ ...headers, ...framing }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`HTTP/1.1 ${status} Reason\r\n${lines.join('')}\r\n`);
  }

  /** A piece of the body; resolves once the socket would take more, or is closed. */
  body(data: string | Buffer): Promise<void> {
    const bytes = Buffer.from(data as string);
    return this.raw(this.#isChunked ? framed(bytes) : bytes);
  }

  /** Bytes as they are, HTTP or not. */
  raw(bytes: string | Buffer): Promise<void> {
    if (this.#socket.destroyed || this.#socket.write(bytes)) return Promise.resolve();
    return new Promise((resolve) => {
      const goOn = (): void => {
        this.#socket.off('drain', goOn).off('close', goOn);
        resolve();
      };
      this.#socket.on('drain', goOn).on('close', goOn);
    });
  }

  /** Ends the body properly; the connection stays. */
  end(): void {
    if (this.#isChunked) this.#socket.write('0\r\n\r\n');
  }

  /** Closes the connection in an orderly way (FIN). */
  cut(): void {
    this.#socket.end();
  }

  /** Breaks the connection (RST). */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Closes the connection without a word of what protects it: TLS ends as if the line had been cut. */
  drop(): void {
    this.#socket.destroy();
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }
}

function framed(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** How a list of steps may end; without one the body ends properly. */
export const endings = { cut: Symbol('cut'), reset: Symbol('reset'), hang: Symbol('hang') } as const;

/** A step of an event stream: data (objects become JSON), raw bytes, something to wait for, or an ending. */
export type SseStep = string | object | { readonly raw: string | Buffer } | Promise<unknown> | symbol;

export interface SseOptions {
  /** `events`: a write each. `whole`: one write for all up to the next wait. `bytes`: a write for each byte. */
  readonly split?: 'events' | 'whole' | 'bytes';
  readonly headers?: Readonly<Record<string, string>>;
  readonly lineEnd?: '\n' | '\r\n' | '\r';
}

/** An event stream. Nothing is added: say `'[DONE]'` yourself. */
export function sse(steps: readonly SseStep[], options: SseOptions = {}): ScriptedReply {
  const { split = 'events', lineEnd = '\n' } = options;
  return async (writer) => {
    writer.head(200, { 'content-type': 'text/event-stream', ...options.headers });
    let pending: Buffer[] = [];
    const flush = async (): Promise<void> => {
      const bytes = Buffer.concat(pending);
      pending = [];
      if (split !== 'bytes') return bytes.length > 0 ? writer.body(bytes) : undefined;
      for (const byte of bytes) {
        await writer.body(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    for (const step of steps) {
      if (typeof step === 'symbol' || step instanceof Promise) await flush();
      if (step === endings.hang) return new Promise(() => {});
      if (step === endings.cut) return writer.cut();
      if (step === endings.reset) return writer.reset();
      if (step instanceof Promise) await step;
      else if (typeof step !== 'symbol') pending.push(frame(step, lineEnd));
      if (split !== 'whole') await flush();
    }
    await flush();
    writer.end();
  };
}

function frame(step: string | object, lineEnd: string): Buffer {
  if (typeof step === 'object' && 'raw' in step) return Buffer.from(step.raw as string);
  return Buffer.from(`data: ${typeof step === 'string' ? step : JSON.stringify(step)}${lineEnd}${lineEnd}`);
}

/** A complete, well-behaved streamed answer. */
export function answer(text: string, options: SseOptions & { readonly promptTokens?: number } = {}): ScriptedReply {
  const words = text.match(/\s*\S+/g) ?? [];
  return sse(
    [
      chunk({ role: 'assistant', content: '' }),
      ...words.map((word) => chunk({ content: word })),
      finish('stop'),
      usage(options.promptTokens ?? 7, words.length),
      '[DONE]',
    ],
    options,
  );
}

/** One `chat.completion.chunk` with a delta. */
export function chunk(
  delta: Readonly<Record<string, unknown>>,
  choice: Readonly<Record<string, unknown>> = {},
): object {
  return { ...envelope, choices: [{ index: 0, delta, finish_reason: null, ...choice }] };
}

export function finish(reason: string, index = 0): object {
  return chunk({}, { finish_reason: reason, index });
}

export function usage(
  promptTokens: number,
  completionTokens: number,
  more: Readonly<Record<string, unknown>> = {},
): object {
  const total_tokens = promptTokens + completionTokens;
  return {
    ...envelope,
    choices: [],
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens, ...more },
  };
}

const envelope = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'fake' };

/** A whole JSON body, with its length. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ScriptedReply {
  return text(status, 'application/json', JSON.stringify(body), headers);
}

export function text(
  status: number,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): ScriptedReply {
  return async (writer) => {
    writer.head(status, { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)), ...headers });
    await writer.body(body);
  };
}

/** Bytes instead of a response; afterwards the connection is closed. */
export function raw(bytes: string | Buffer): ScriptedReply {
  return async (writer) => {
    await writer.raw(bytes);
    writer.cut();
  };
}

/** Never answers. */
export function hang(): ScriptedReply {
  return () => new Promise(() => {});
}

/** Breaks the connection instead of answering. */
export function reset(): ScriptedReply {
  return (writer) => writer.reset();
}

/** A promise and its key: steps wait for it until the test opens it. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
