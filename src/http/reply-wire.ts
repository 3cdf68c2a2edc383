import type { Socket } from 'node:net';

/** A reply as an exchange writes it: Node's own, or one straight on the socket. */
export interface ReplyWire {
  /** None any more when the connection is gone or serves another request. */
  readonly socket: Socket | null;
  /** Whether status and headers are settled; perhaps they wait for the first bytes of the body. */
  readonly headersSent: boolean;
  /** Whether everything has been said. */
  readonly writableEnded: boolean;
  /** Whether the system has taken everything that was said. */
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  readonly statusCode: number;
  /** How many characters of the status line went out ahead, to see whether anyone is still there. */
  charactersAhead: number;
  /** Whether the client understands bodies in chunks. */
  readonly isChunked: boolean;
  /** `headers` is a flat list, the length of the body among them. */
  writeHead(status: number, headers: string[]): unknown;
  /**
   * The head of an event stream, or of a stream of another kind. Whoever writes its body puts the chunks together where
   * the client understands them.
   */
  writeStreamHead(contentType?: string): void;
  /** `false`: the reader is behind. */
  write(text: string, encoding: BufferEncoding): boolean;
  end(last: string | Buffer, encoding: BufferEncoding): unknown;
  once(event: 'drain', listener: () => void): unknown;
  destroy(): unknown;
}
