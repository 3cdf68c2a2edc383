import type { Socket } from 'node:net';

/** The reply that an exchange writes: Node's own, or one written directly to the socket. */
export interface ReplyWire {
  /** Null once the connection is closed or serves another request. */
  readonly socket: Socket | null;
  /** Whether status and headers are fixed. They may still wait for the first bytes of the body. */
  readonly headersSent: boolean;
  /** Whether `end` was called. */
  readonly writableEnded: boolean;
  /** Whether the kernel has accepted the complete reply. */
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  readonly statusCode: number;
  /** How many characters of the status line were sent early, as disconnect probes. */
  probedCharacters: number;
  /** Whether the client supports chunked bodies. */
  readonly isChunked: boolean;
  /** `headers` is a flat list that includes the length of the body. */
  writeHead(status: number, headers: string[]): unknown;
  /**
   * Writes the head of an event stream or another stream. If `isChunked`, the writer of the body formats the chunks.
   */
  writeStreamHead(contentType?: string): void;
  /** `false`: the client is behind. */
  write(text: string, encoding: BufferEncoding): boolean;
  end(last: string | Buffer, encoding: BufferEncoding): unknown;
  once(event: 'drain', listener: () => void): unknown;
  destroy(): unknown;
}
