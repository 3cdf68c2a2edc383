import type { Socket } from 'node:net';

/** A request as the fake provider received it. */
export interface Call {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The JSON body, or `undefined` when there was none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** The number of its connection, from 1. */
  readonly connection: number;
  readonly isAborted: boolean;
  /** Bytes that the reply has written and the socket has not sent yet. */
  readonly bufferedBytes: number;
  /** Bytes handed to the operating system so far on this connection. */
  readonly sentBytes: number;
}

/** Answers one request. A reply that returns without ending the body leaves it open. */
export type ScriptedReply = (writer: ReplyWriter, call: Call) => void | Promise<void>;

/** Writes one reply, with control over every byte. */
export class ReplyWriter {
  readonly #socket: Socket;
  #isChunked = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Writes status and headers. The body is chunked, unless there is a content-length or `connection: close`. */
  head(status: number, headers: Readonly<Record<string, string>> = {}): void {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    this.#isChunked = !names.includes('content-length') && headers['connection'] !== 'close';
    const framing = this.#isChunked ? { 'transfer-encoding': 'chunked' } : {};
    const lines = Object.entries({ ...headers, ...framing }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`HTTP/1.1 ${status} Reason\r\n${lines.join('')}\r\n`);
  }

  /** Writes a piece of the body. Resolves when the socket accepts more, or is closed. */
  body(data: string | Buffer): Promise<void> {
    const bytes = Buffer.from(data as string);
    return this.raw(this.#isChunked ? framed(bytes) : bytes);
  }

  /** Writes bytes unchanged, HTTP or not. */
  raw(bytes: string | Buffer): Promise<void> {
    if (this.#socket.destroyed || this.#socket.write(bytes)) return Promise.resolve();
    return new Promise((resolve) => {
      const proceed = (): void => {
        this.#socket.off('drain', proceed).off('close', proceed);
        resolve();
      };
      this.#socket.on('drain', proceed).on('close', proceed);
    });
  }

  /** Ends the body properly. The connection stays open. */
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

  /** Closes the connection without a TLS close notification, as if the cable had been cut. */
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

/** The abnormal endings of a list of steps. Without one, the body ends properly. */
export const endings = { cut: Symbol('cut'), reset: Symbol('reset'), hang: Symbol('hang') } as const;

/** A step of an event stream: data (objects become JSON), raw bytes, a promise to await, or an ending. */
export type SseStep = string | object | { readonly raw: string | Buffer } | Promise<unknown> | symbol;

export interface SseOptions {
  /** `events`: one write per event. `whole`: one write up to the next promise. `bytes`: one write per byte. */
  readonly split?: 'events' | 'whole' | 'bytes';
  readonly headers?: Readonly<Record<string, string>>;
  readonly lineEnd?: '\n' | '\r\n' | '\r';
}

/** An event stream. Nothing is added: a test passes `'[DONE]'` itself. */
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

/** A complete JSON body, with its length. */
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

/** Sends raw bytes instead of a response, then closes the connection. */
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

/** A promise and the function that resolves it. Steps wait until the test calls `open()`. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
