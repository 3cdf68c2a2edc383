import type { BodyRoom } from './body-room.ts';
import { type CopiedBody, GrowingCopy } from './growing-copy.ts';

/** Both bodies of a request; one of which nothing came or went is left out. */
export interface CopiedBodies {
  readonly request: CopiedBody | undefined;
  readonly answer: CopiedBody | undefined;
}

/**
 * Copies both bodies of a request as they pass, each up to a bound. Where the room for such copies is used up, both are
 * dropped: half an exchange would be taken for a whole one.
 */
export class BodyCopy {
  readonly #room: BodyRoom;
  readonly #request: GrowingCopy;
  readonly #answer: GrowingCopy;
  #isDropped = false;

  constructor(room: BodyRoom, bytesMax: number) {
    this.#room = room;
    this.#request = new GrowingCopy(bytesMax);
    this.#answer = new GrowingCopy(bytesMax);
  }

  came(bytes: Buffer): void {
    this.#add(this.#request, bytes);
  }

  went(piece: string | Buffer, encoding: BufferEncoding): void {
    if (!this.#isDropped) this.#add(this.#answer, typeof piece === 'string' ? Buffer.from(piece, encoding) : piece);
  }

  /** Both, and the room is free again; nothing if they had to be dropped. */
  take(): CopiedBodies | undefined {
    if (this.#isDropped) return undefined;
    this.#room.leave(this.#request.size + this.#answer.size);
    this.#isDropped = true;
    return { request: this.#request.take(), answer: this.#answer.take() };
  }

  #add(copy: GrowingCopy, bytes: Buffer): void {
    if (this.#isDropped) return;
    if (this.#room.take(copy.roomFor(bytes))) copy.add(bytes);
    else this.take();
  }
}
