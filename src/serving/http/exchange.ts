export interface Exchange {
  readonly id: string;
  readonly method: string;
  /** The path as it was sent, without the query, or the path of the endpoint that it stands for at this host. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The host of the request: lower case, without the port. Empty if an HTTP/1.0 client sends none. */
  readonly host: string;
  /** The client's address, or the address of a proxy that is not trusted to name its client. */
  readonly address: string;
  /** Whether the client uses TLS, according to a trusted proxy. Other sources are ignored. */
  readonly isSecure: boolean;
  /** When it arrived, on the clock's `elapsed` scale. Absent: it is served at once. */
  readonly startedMs?: number;
  /** How long the gateway has waited for the client to send the body. Absent: it was complete from the start. */
  readonly uploadMs?: number;
  /** The header's value. If a client sends a credential twice, it counts as absent. */
  header(name: string): string | undefined;
  /** Aborts when the client leaves before the reply ends, or stops reading it for too long. */
  readonly gone: AbortSignal;
  /**
   * Reads the body. May be called once. Rejects with an `HttpFault` if the body is invalid. It waits while load
   * shedding holds bodies. Afterwards bodies are read round-robin by party, however many requests a party has.
   */
  readJson(options?: { readonly party?: string; readonly withDigest?: boolean }): Promise<JsonBody>;
  /** Like `readJson`, for a body that is not JSON. The route checks its type by the headers. */
  readBytes(options?: { readonly party?: string }): Promise<Buffer>;
  /**
   * The body in pieces, as they arrive: the client sends no faster than they are taken. Fails with an `HttpFault` after
   * more than `bytesMax` bytes, or if no piece arrives for as long as a whole request may take.
   */
  readPieces(options: { readonly bytesMax: number }): AsyncIterable<Buffer>;
  json(status: number, value: unknown): void;
  /** Sends a complete reply; `headers` is a flat list of names and values. */
  send(status: number, contentType: string, body: string | Buffer, headers?: readonly string[]): void;
  /** Replies with the error. If the reply has begun, it closes the connection instead. */
  fail(error: unknown): void;
  /**
   * Begins a reply that is sent in pieces. The status is sent with the first write; until then `fail` still works. With
   * a content type it is a stream of that type, and each written character is one byte.
   */
  openEventStream(contentType?: string): EventStreamWriter;
  watchBodies(watch: BodyWatch): void;
}

/** Receives the bodies of a request and of its reply. It must not keep the buffers, and must not throw. */
export interface BodyWatch {
  /** Called with the complete request body, valid or not. */
  received(bytes: Buffer): void;
  sent(piece: string | Buffer, encoding: BufferEncoding): void;
}

/** A simple request that has arrived completely: nothing about it has to be awaited. */
export interface SimpleExchange extends Exchange {
  readonly isSimpleExchange: true;
  /** The body, if it is still available. Throws an `HttpFault` if it is invalid. */
  jsonNow(options: { readonly withDigest: boolean }): JsonBody | undefined;
  /** Releases the body, so that it uses no memory during the answer. */
  releaseBody(): void;
  /** Whether the client has left, or stopped reading for too long. */
  readonly isGone: boolean;
  /** Calls back at most once when that happens. A later call replaces the callback. */
  onGone(callback: () => void): void;
  openEventStream(contentType?: string): SimpleStreamWriter;
}

export function isSimpleExchange(exchange: Exchange): exchange is SimpleExchange {
  return 'isSimpleExchange' in exchange;
}

export interface JsonBody {
  readonly value: unknown;
  readonly text: string;
  /** Whether it has integers that may lose digits in `value`. */
  readonly hasLongNumbers?: boolean;
  /** Size of the body in bytes, as it arrived. */
  readonly bytes: number;
  /** SHA-256 of the body. Only if requested, because it reads the whole body. */
  readonly digest: string | undefined;
}

/** Sends server-sent events. After the client has left, writes have no effect. */
export interface EventStreamWriter {
  /** Sends complete frames. `false`: the client is behind, stop until `onDrain`. */
  write(frames: string): boolean;
  /** Calls back each time the client has caught up after a `false`. */
  onDrain(callback: () => void): void;
  end(lastFrames?: string): void;
  /** Ends the stream with error frames; `error` is for the log. */
  breakOff(lastFrames: string, error: unknown): void;
  /** Closes the connection, so that the client sees that the stream is incomplete. */
  destroy(): void;
}

export interface Explanation {
  readonly status: number;
  /** A flat list of names and values, often empty. */
  readonly headers: readonly string[];
  /** JSON text. */
  readonly body: string;
}

/** Also accepts frames that are already encoded, with one byte per character. */
export interface SimpleStreamWriter extends EventStreamWriter {
  writeLatin1(frames: string): boolean;
  endLatin1(frames: string): void;
}
