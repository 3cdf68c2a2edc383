import { membersOf } from 'chat-formats/json/json-splice.ts';
import type { Files, StoredFile } from '../files/files.ts';
import type { BatchRow } from './batch-rows.ts';
import type { ClaimedLine } from './line-claims.ts';

/** Reads the requests of lines from the input files of their batches. */
export class LineInput {
  readonly #files: Files;
  #lastChunk: { readonly name: string; readonly bytes: Promise<Buffer> } | undefined;

  constructor(files: Files) {
    this.#files = files;
  }

  /** The body of a request as its sender wrote it. The line was parsed when its batch was checked. */
  async bodyOf({ account_id, input_file_id: id, kind }: BatchRow, line: ClaimedLine): Promise<string> {
    const origin = kind === 'response' ? 'gateway' : 'client';
    const text = (await this.#textOf({ account_id, id, origin }, line)).toString('utf8');
    return membersOf(text).get('body') ?? '';
  }

  /** A long line goes on in the next chunks. */
  async #textOf(file: StoredFile, { chunk, first_byte: from, bytes }: ClaimedLine): Promise<Buffer> {
    const first = await this.#chunkOf(file, chunk);
    const pieces = [first.subarray(from, from + bytes)];
    for (let next = chunk + 1, missing = bytes - (first.length - from); missing > 0; next += 1) {
      const piece = await this.#files.chunk(file, next);
      pieces.push(piece.subarray(0, missing));
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  /** Lines that run together are often in one chunk. */
  #chunkOf(file: StoredFile, chunk: number): Promise<Buffer> {
    const name = `${file.id}/${chunk}`;
    if (this.#lastChunk?.name !== name) {
      const bytes = this.#files.chunk(file, chunk);
      this.#lastChunk = { name, bytes };
      bytes.catch(() => (this.#lastChunk = undefined));
    }
    return this.#lastChunk.bytes;
  }
}
