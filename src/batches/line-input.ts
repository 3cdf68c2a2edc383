import { exactJson } from '../core/json/exact-json.ts';
import type { Files } from '../files/files.ts';
import type { BatchRow } from './batch-rows.ts';
import type { ClaimedLine } from './line-work.ts';

/** Reads the requests of lines from the input files of their batches. */
export class LineInput {
  readonly #files: Files;
  #lastChunk: { readonly name: string; readonly bytes: Promise<Buffer> } | undefined;

  constructor(files: Files) {
    this.#files = files;
  }

  /** The body of a request as JSON text, with integers of any length. */
  async bodyOf({ account_id, input_file_id: id }: BatchRow, line: ClaimedLine): Promise<string> {
    const chunk = await this.#chunkOf({ account_id, id }, line.chunk);
    const text = chunk.subarray(line.first_byte, line.first_byte + line.bytes).toString('utf8');
    try {
      return JSON.stringify((exactJson(text) as { readonly body: unknown }).body);
    } catch (error) {
      // Nested too deeply for this. The request is refused for the same reason, and so is the whole line.
      if (error instanceof RangeError) return text;
      throw error;
    }
  }

  /** Lines that run together are often in one chunk. */
  #chunkOf(file: { readonly account_id: string; readonly id: string }, chunk: number): Promise<Buffer> {
    const name = `${file.id}/${chunk}`;
    if (this.#lastChunk?.name !== name) {
      const bytes = this.#files.chunk(file, chunk);
      this.#lastChunk = { name, bytes };
      bytes.catch(() => (this.#lastChunk = undefined));
    }
    return this.#lastChunk.bytes;
  }
}
