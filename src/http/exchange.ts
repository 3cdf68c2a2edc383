/** One request and its reply, as a route sees them. */
export interface Exchange {
  readonly id: string;
  readonly method: string;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** What follows the `?` of the target, decoded. */
  readonly query: URLSearchParams;
  /** The host the request names: lower case, without the port; empty when an HTTP/1.0 client names none. */
  readonly host: string;
  /** Where the request comes from; the address of a proxy in between, unless it is trusted to name its client. */
  readonly address: string;
  /** Whether the client speaks TLS, as a trusted proxy in between says; nobody else is believed. */
  readonly isSecure: boolean;
  /** The header's value. A credential sent twice counts as absent: a doubled credential is no credential. */
  header(name: string): string | undefined;
  /** Aborts when the client leaves before the reply is finished, or stops reading it for too long. */
  readonly gone: AbortSignal;
  /**
   * Reads the body, once. Rejects with an `HttpFault` that says what is wrong with it. While there is no room for bodies
   * it waits; afterwards parties take turns, however many requests each of them has.
   */
  readJson(options?: { readonly party?: string; readonly withDigest?: boolean }): Promise<JsonBody>;
  /** The same for a body of another kind than JSON, as it came; what it is, the route has seen in its headers. */
  readBytes(options?: { readonly party?: string }): Promise<Buffer>;
  json(status: number, value: unknown): void;
  /** A whole reply; `headers` is a flat list of names and values. */
  send(status: number, contentType: string, body: string | Buffer, headers?: readonly string[]): void;
  /** Replies with what the error means for the client. Once bytes are out it can only cut the connection, and does. */
  fail(error: unknown): void;
  /**
   * Begins a reply that arrives in pieces. The status goes out with the first write; until then `fail` still works. With
   * a content type it is a stream of that kind, and every character that is written is a byte of it.
   */
  openEventStream(contentType?: string): EventStreamWriter;
  /** Has somebody hear both bodies from now on, byte by byte as they come and go. */
  watchBodies(watch: BodyWatch): void;
}

/** Hears the bodies of a request and of its reply. It must not keep what it is given, nor throw. */
export interface BodyWatch {
  /** The body of the request, all of it, whatever is wrong with it. */
  came(bytes: Buffer): void;
  /** The next piece of the reply's. */
  went(piece: string | Buffer, encoding: BufferEncoding): void;
}

/** A request that came whole and without anything unusual: nothing about it has to be waited for. */
export interface SimpleExchange extends Exchange {
  readonly isSimpleExchange: true;
  /** The body, if it can be read in one go; throws an `HttpFault` that says what is wrong with it. */
  jsonNow(options: { readonly withDigest: boolean }): JsonBody | undefined;
  /** The body is not needed any more, and need not be kept while the answer is on its way. */
  letBodyGo(): void;
  /** Whether the client has left, or stopped reading for too long. */
  readonly isGone: boolean;
  /** Calls back when that happens, at most once, for the last one who asked. */
  onGone(callback: () => void): void;
  openEventStream(contentType?: string): SimpleStreamWriter;
}

/** Whether nothing about a request has to be waited for. */
export function isSimpleExchange(exchange: Exchange): exchange is SimpleExchange {
  return 'isSimpleExchange' in exchange;
}

export interface JsonBody {
  readonly value: unknown;
  /** The value as it was written. */
  readonly text: string;
  /** Whether it has whole numbers of which the value may lack digits. */
  readonly hasLongNumbers?: boolean;
  /** Size of the body as it arrived. */
  readonly bytes: number;
  /** Tells it from every other body; only if it was asked for, since it costs a look at all of it. */
  readonly digest: string | undefined;
}

/** Sends server-sent events. After the client left, writing does nothing. */
export interface EventStreamWriter {
  /** Sends complete frames. `false`: the reader is behind, stop until `onDrain`. */
  write(frames: string): boolean;
  /** Calls back every time the reader has caught up after a `false`. */
  onDrain(callback: () => void): void;
  end(lastFrames?: string): void;
  /** Ends with frames that say what went wrong; the error itself is for those who keep the log. */
  breakOff(lastFrames: string, error: unknown): void;
  /** Cuts the connection, so that the client can tell that the stream is not complete. */
  destroy(): void;
}

/** What a client is told about an error. */
export interface Explanation {
  readonly status: number;
  /** A flat list of names and values, often empty. */
  readonly headers: readonly string[];
  /** JSON text. */
  readonly body: string;
}

/** Takes frames that are bytes already, one character each. */
export interface SimpleStreamWriter extends EventStreamWriter {
  writeLatin1(frames: string): boolean;
  endLatin1(frames: string): void;
}
