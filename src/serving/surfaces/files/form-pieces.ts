import { headBytesMax, malformed, partHead } from '../pass-through/multipart.ts';
import { unparseable } from '../../http/body/json-body.ts';

/** A part of a form begins, or a piece of its content has arrived. */
export type FormPiece =
  | { readonly type: 'part'; readonly name: string; readonly filename: string | undefined }
  | { readonly type: 'content'; readonly bytes: Buffer };

const partsMax = 64;

/** Reads a form as its pieces arrive, with the memory of a piece. */
export async function* formPieces(pieces: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<FormPiece> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  let state: 'preamble' | 'content' | 'delimiter' | 'head' | 'end' = 'preamble';
  let parts = 0;
  // The first delimiter has no newline before it.
  let buffer: Buffer = Buffer.from('\r\n');
  for await (const piece of pieces) {
    if (state === 'end') continue;
    buffer = buffer.length === 0 ? piece : Buffer.concat([buffer, piece]);
    for (let isStuck = false; !isStuck; ) {
      if (state === 'preamble' || state === 'content') {
        const at = buffer.indexOf(delimiter);
        const end = at < 0 ? Math.max(0, buffer.length - delimiter.length + 1) : at;
        if (state === 'content' && end > 0) yield { type: 'content', bytes: buffer.subarray(0, end) };
        buffer = buffer.subarray(at < 0 ? end : at + delimiter.length);
        if (at < 0) isStuck = true;
        else state = 'delimiter';
      } else if (state === 'delimiter') {
        const next = buffer.toString('latin1', 0, 2);
        if (next === '--') state = 'end';
        else if (next === '\r\n') state = 'head';
        else if (next.length === 2) throw malformed();
        isStuck = state === 'delimiter' || state === 'end';
      } else if (state === 'head') {
        const end = buffer.indexOf('\r\n\r\n');
        if (end < 0 && buffer.length > headBytesMax) throw malformed();
        if (end < 0) isStuck = true;
        else {
          if ((parts += 1) > partsMax) throw unparseable(`The form has more than ${partsMax} parts. Send fewer.`);
          const { name, filename } = partHead(buffer.toString('utf8', 2, end));
          yield { type: 'part', name, filename };
          // The newline that ends the head may begin a delimiter: then the content is empty.
          buffer = buffer.subarray(end + 2);
          state = 'content';
          if (!buffer.subarray(0, delimiter.length).equals(delimiter)) buffer = buffer.subarray(2);
        }
      }
    }
  }
  if (state !== 'end') throw malformed();
}
