import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { type Call, json, type ScriptedReply, ReplyWriter } from './fake-replies.ts';

export * from './fake-replies.ts';

/**
 * A scripted provider of the chat-completions format. It uses a raw socket, so that it can misbehave in every way that
 * a real one can.
 *
 *     const provider = await fakeProvider();
 *     provider.respond('some-model', answer('Hello there'), reset());   // in this order; the last one repeats
 *     provider.respond('GET /v1/models', json(200, { data: [] }));
 *     ...
 *     const { body, headers } = await provider.call('some-model').received;
 *     await provider.call('some-model', 1).aborted;
 */
export interface FakeProvider {
  /** Base URL for an upstream's configuration. Ends in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in order of arrival. */
  readonly calls: readonly Call[];
  /** Connections accepted so far, and those open now. */
  readonly connections: { readonly accepted: number; readonly open: number };
  /** Sets the replies to requests of a model, or of `METHOD /path`. */
  respond(key: string, ...replies: readonly ScriptedReply[]): void;
  /** The n-th request of a model (or `METHOD /path`), which may not have arrived yet. */
  call(key: string, index?: number): ExpectedCall;
  /** Resolves when no connection is open. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

export interface ExpectedCall {
  readonly received: Promise<Call>;
  /** Resolves when the client closes the connection before the reply is complete. */
  readonly aborted: Promise<void>;
  /** Resolves when the reply's script has ended. */
  readonly finished: Promise<void>;
}

export interface FakeProviderOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
}

export async function fakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const calls: LiveCall[] = [];
  const scripts = new Map<string, readonly ScriptedReply[]>();
  const expected = new Map<string, Expectation[]>();
  const sockets = new Set<Socket>();
  const drainWaiters = new Set<() => void>();
  let accepted = 0;

  function expectation(key: string, index: number): Expectation {
    const list = expected.get(key) ?? [];
    expected.set(key, list);
    while (list.length <= index) list.push(new Expectation());
    return list[index]!;
  }

  async function serve(call: LiveCall): Promise<void> {
    const index = calls.filter((earlier) => earlier.key === call.key).length;
    calls.push(call);
    const expectedCall = expectation(call.key, index);
    call.onAbort = () => expectedCall.abort();
    expectedCall.receive(call);
    const replies = scripts.get(call.key) ?? [unknownModel];
    const reply = replies[Math.min(index, replies.length - 1)]!;
    await reply(new ReplyWriter(call.socket), call);
    call.finished();
    expectedCall.finish();
  }

  function accept(socket: Socket): void {
    accepted += 1;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const wake of drainWaiters) wake();
    });
    readRequests(socket, accepted, serve);
  }

  const server: Server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}/v1`,
    port,
    calls,
    connections: {
      get accepted() {
        return accepted;
      },
      get open() {
        return sockets.size;
      },
    },
    respond: (key, ...replies) => void scripts.set(key, replies),
    call: (key, index = 0) => expectation(key, index),
    drained: () =>
      sockets.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => void drainWaiters.add(resolve)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const unknownModel: ScriptedReply = (writer, call) =>
  json(404, {
    error: { message: `no reply is set for ${call.key}`, type: 'invalid_request_error', code: 'model_not_found' },
  })(writer, call);

class Expectation implements ExpectedCall {
  receive: (call: Call) => void = () => {};
  abort: () => void = () => {};
  finish: () => void = () => {};
  readonly received = new Promise<Call>((resolve) => {
    this.receive = resolve;
  });
  readonly aborted = new Promise<void>((resolve) => {
    this.abort = resolve;
  });
  readonly finished = new Promise<void>((resolve) => {
    this.finish = resolve;
  });
}

class LiveCall implements Call {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly connection: number;
  readonly socket: Socket;
  onAbort: () => void = () => {};
  isAborted = false;

  constructor(socket: Socket, connection: number, head: string, text: string) {
    const [requestLine = '', ...fields] = head.split('\r\n');
    const [method = '', path = ''] = requestLine.split(' ');
    this.socket = socket;
    this.connection = connection;
    this.method = method;
    this.path = path;
    this.headers = headersOf(fields);
    this.text = text;
    this.body = parsed(text);
    this.key = typeof this.body?.['model'] === 'string' ? this.body['model'] : `${method} ${path}`;
    socket.once('close', this.#closed);
  }

  finished(): void {
    this.socket.off('close', this.#closed);
  }

  readonly #closed = (): void => {
    this.isAborted = true;
    this.onAbort();
  };

  get bufferedBytes(): number {
    return this.socket.writableLength;
  }

  get sentBytes(): number {
    return this.socket.bytesWritten - this.socket.writableLength;
  }
}

/** Joins repeated headers, so that a test can detect them. */
function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    const value = line.slice(line.indexOf(':') + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Reads requests with a Content-Length, and serves each one before it reads the next. */
function readRequests(socket: Socket, connection: number, serve: (call: LiveCall) => Promise<void>): void {
  let buffered = Buffer.alloc(0);
  let isServing = false;

  async function next(): Promise<void> {
    const headEnd = buffered.indexOf('\r\n\r\n');
    if (isServing || headEnd < 0) return;
    const head = buffered.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (buffered.length < headEnd + 4 + length) return;
    const text = buffered.toString('utf8', headEnd + 4, headEnd + 4 + length);
    buffered = buffered.subarray(headEnd + 4 + length);
    isServing = true;
    await serve(new LiveCall(socket, connection, head, text));
    isServing = false;
    await next();
  }

  socket.on('data', (bytes) => {
    buffered = Buffer.concat([buffered, bytes]);
    void next();
  });
}
