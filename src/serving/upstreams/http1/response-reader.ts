import { ChunkedBody } from './chunked-body.ts';
import { TransportFault } from './transport-fault.ts';
import { parseHead, type ResponseHead } from './response-head.ts';

const headBytesMax = 65_536;
const nothing = Buffer.alloc(0);

/** Reads one response from pieces of any size. After each piece its fields describe the new part. */
export class ResponseReader {
  /** The final head, once it is complete. Interim (1xx) heads are skipped. */
  head: ResponseHead | undefined;
  /** The part of the body in the last piece: a view that is valid until the next piece. */
  body: Buffer = nothing;
  isDone = false;
  /** Bytes arrived after the end of the response. The connection cannot be trusted any more. */
  hasExcess = false;
  #pending: Buffer | undefined;
  #left = 0;
  #chunked: ChunkedBody | undefined;

  /** Throws a `TransportFault` if the bytes are not a valid response. May change the piece in place. */
  push(bytes: Buffer): void {
    this.body = nothing;
    if (this.isDone) this.hasExcess ||= bytes.length > 0;
    else if (this.head) this.#readBody(this.head, bytes);
    else this.#readHead(bytes);
  }

  /** Call it when the other side has closed. That is the end of some bodies. For all others it throws. */
  close(): void {
    this.body = nothing;
    if (this.head?.framing === 'until-close') this.isDone = true;
    if (!this.isDone) throw new TransportFault('closed', 'the connection closed before the response was complete');
  }

  #readHead(piece: Buffer): void {
    const bytes = this.#pending ? Buffer.concat([this.#pending, piece]) : piece;
    const end = bytes.indexOf('\r\n\r\n', Math.max(0, (this.#pending?.length ?? 0) - 3), 'latin1');
    if (end > headBytesMax || (end < 0 && bytes.length > headBytesMax + 3)) {
      throw new TransportFault('malformed', 'the response head is too large');
    }
    if (end < 0) {
      this.#pending = Buffer.from(bytes);
      return;
    }
    this.#pending = undefined;
    const head = parseHead(bytes.toString('latin1', 0, end));
    const rest = bytes.subarray(end + 4);
    if (head.status === 101) throw new TransportFault('malformed', 'the response switches protocols unasked');
    if (head.status < 200) {
      if (rest.length > 0) this.#readHead(rest);
      return;
    }
    this.head = head;
    this.#left = head.contentLength;
    if (head.framing === 'chunked') this.#chunked = new ChunkedBody();
    this.#readBody(head, rest);
  }

  #readBody(head: ResponseHead, bytes: Buffer): void {
    if (this.#chunked) {
      this.body = this.#chunked.push(bytes);
      this.isDone = this.#chunked.isDone;
      this.hasExcess = this.#chunked.consumed < bytes.length;
    } else if (head.framing === 'until-close') {
      this.body = bytes;
    } else {
      this.body = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
      this.hasExcess = bytes.length > this.#left;
      this.#left -= this.body.length;
      this.isDone = this.#left === 0;
    }
  }
}
