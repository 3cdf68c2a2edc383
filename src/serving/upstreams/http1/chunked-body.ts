import { TransportFault } from './transport-fault.ts';

const lineBytesMax = 4096;
const trailerBytesMax = 65_536;
const sizeDigitsMax = 8;

type ChunkState =
  | 'size'
  | 'extension'
  | 'size-end'
  | 'payload'
  | 'payload-cr'
  | 'payload-lf'
  | 'line'
  | 'trailer'
  | 'trailer-lf'
  | 'last-lf';

const CR = 13;
const LF = 10;

/** Removes the framing of a chunked body, which may arrive in any pieces. */
export class ChunkedBody {
  isDone = false;
  #state: ChunkState = 'size';
  #size = 0;
  #digits = 0;
  #lineBytes = 0;
  #trailerBytes = 0;
  /** Number of bytes of the last piece that belong to the body. */
  consumed = 0;

  /** A view of the piece: payloads of several chunks are moved together inside it, so that one read stays one view. */
  push(bytes: Buffer): Buffer {
    let read = 0;
    let begin = 0;
    let end = 0;
    while (read < bytes.length && !this.isDone) {
      if (this.#state !== 'payload') {
        this.#step(bytes[read] as number);
        read += 1;
        continue;
      }
      const taken = Math.min(this.#size, bytes.length - read);
      if (end === 0) begin = end = read;
      if (end !== read) bytes.copyWithin(end, read, read + taken);
      end += taken;
      read += taken;
      this.#size -= taken;
      if (this.#size === 0) this.#state = 'payload-cr';
    }
    this.consumed = read;
    return bytes.subarray(begin, end);
  }

  #step(byte: number): void {
    switch (this.#state) {
      case 'size':
        return this.#sizeByte(byte);
      case 'extension':
        this.#lineBytes += 1;
        if (byte === CR) this.#state = 'size-end';
        else if (isControl(byte) || this.#lineBytes > lineBytesMax) throw malformed();
        return;
      case 'size-end':
        expect(byte, LF);
        this.#state = this.#size === 0 ? 'line' : 'payload';
        this.#digits = this.#lineBytes = 0;
        return;
      case 'payload-cr':
        expect(byte, CR);
        this.#state = 'payload-lf';
        return;
      case 'payload-lf':
        expect(byte, LF);
        this.#state = 'size';
        return;
      case 'line':
      case 'trailer':
        return this.#trailerByte(byte);
      case 'trailer-lf':
        expect(byte, LF);
        this.#state = 'line';
        return;
      case 'last-lf':
        expect(byte, LF);
        this.isDone = true;
        return;
      case 'payload':
        return;
      default:
        this.#state satisfies never;
    }
  }

  #sizeByte(byte: number): void {
    const digit = hexValue(byte);
    if (digit >= 0) {
      this.#digits += 1;
      if (this.#digits > sizeDigitsMax) throw malformed();
      this.#size = this.#size * 16 + digit;
      return;
    }
    if (this.#digits === 0) throw malformed();
    if (byte === CR) this.#state = 'size-end';
    else if (byte === 0x3b || byte === 0x20 || byte === 0x09) this.#state = 'extension';
    else throw malformed();
  }

  /** Trailers are skipped: they must not change anything in the head. */
  #trailerByte(byte: number): void {
    this.#trailerBytes += 1;
    if (byte === CR) this.#state = this.#state === 'line' ? 'last-lf' : 'trailer-lf';
    else if (isControl(byte) || this.#trailerBytes > trailerBytesMax) throw malformed();
    else this.#state = 'trailer';
  }
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09;
}

function expect(byte: number, wanted: number): void {
  if (byte !== wanted) throw malformed();
}

function malformed(): TransportFault {
  return new TransportFault('malformed', 'the response body is not properly chunked');
}
