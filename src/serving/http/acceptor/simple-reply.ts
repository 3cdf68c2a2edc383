import type { Socket } from 'node:net';
import type { ReplyingExchange } from '../reply.ts';
import { validateHeaderName, validateHeaderValue } from '../node-http.ts';
import {
  addCommonHeaders,
  headerLines,
  headerList,
  permittedStatus,
  type ReplyWire,
  statusLine,
  streamHeaders,
} from '../reply-head.ts';

export interface ReplyConnection {
  readonly socket: Socket;
  /** The last header lines: the date, and whether the connection stays open. */
  closingLines(isKept: boolean): string;
  /** Called when the kernel has accepted the complete reply. */
  sent(isKept: boolean): void;
}

/** Writes the same bytes as Node would, and the head together with the first part of the body, without a tick. */
export class SimpleReply implements ReplyWire {
  readonly socket: Socket;
  readonly isChunked = true;
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  statusCode = 0;
  probedCharacters = 0;
  readonly #connection: ReplyConnection;
  readonly #identity: ReplyingExchange;
  /** The head, until it is written with the first bytes of the body. */
  #head = '';
  #isKept = false;

  constructor(connection: ReplyConnection, identity: ReplyingExchange) {
    this.#connection = connection;
    this.#identity = identity;
    this.socket = connection.socket;
  }

  get destroyed(): boolean {
    return this.writableFinished || this.socket.destroyed;
  }

  writeHead(status: number, headers: string[]): void {
    for (let index = 0; index < headers.length; index += 2) {
      validateHeaderName(headers[index] ?? '');
      validateHeaderValue(headers[index] ?? '', headers[index + 1] ?? '');
    }
    const permitted = permittedStatus(status);
    this.#begin(permitted, statusLine(permitted) + headerLines(headerList(headers, this.#identity)));
  }

  writeStreamHead(contentType?: string): void {
    if (contentType !== undefined) this.writeHead(200, [...streamHeaders(this.isChunked, contentType)]);
    else this.#begin(200, streamStart + headerLines(addCommonHeaders([], this.#identity)));
  }

  write(text: string, encoding: BufferEncoding): boolean {
    return this.socket.write(this.#takeHead() + text, encoding);
  }

  end(last: string | Buffer, encoding: BufferEncoding): void {
    this.writableEnded = true;
    if (typeof last === 'string') {
      this.socket.write(this.#takeHead() + last, encoding, this.#sent);
      return;
    }
    this.socket.cork();
    this.socket.write(this.#takeHead(), 'latin1');
    this.socket.write(last, this.#sent);
    this.socket.uncork();
  }

  /** Does not call back after the end: the `drain` event then belongs to the next reply. */
  once(_event: 'drain', listener: () => void): void {
    this.socket.once('drain', () => {
      if (!this.writableEnded) listener();
    });
  }

  destroy(): void {
    this.socket.destroy();
  }

  #begin(status: number, lines: string): void {
    if (this.headersSent) throw new Error('The reply has already begun. A request is answered once.');
    this.headersSent = true;
    this.statusCode = status;
    this.#isKept = this.#identity.keepsConnection();
    this.#head = `${lines}${this.#connection.closingLines(this.#isKept)}\r\n`.slice(this.probedCharacters);
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }

  readonly #sent = (error?: Error | null): void => {
    if (error) return;
    this.writableFinished = true;
    this.#connection.sent(this.#isKept);
  };
}

const streamStart = statusLine(200) + headerLines(streamHeaders(true));
