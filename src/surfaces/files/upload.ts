import type { Caller } from '../../core/caller.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import type { FileRow, FileWriter } from '../../files/file-writer.ts';
import type { Files } from '../../files/files.ts';
import type { Exchange } from '../../http/exchange.ts';
import { boundaryOf } from '../pass-through/multipart.ts';
import { formPieces } from './form-pieces.ts';

export interface UploadParts {
  readonly files: Files;
  readonly now: () => number;
  readonly limits: () => { readonly fileBytesMax: number; readonly fileKeepMs: number };
}

/** Purposes of files in the format. Only `batch` has an effect here. */
export const purposes: ReadonlySet<string> = new Set([
  'batch',
  'user_data',
  'assistants',
  'vision',
  'fine-tune',
  'evals',
]);

const fieldBytesMax = 4096;
/** The head and tail of a form, and its other fields. */
const formBytesMax = 256 * 1024;
const secondsMin = 3600;
const secondsMax = 30 * 24 * 3600;

/** Writes an upload to the store as it arrives. `purpose` may come before or after the file. */
export async function upload(
  { files, now, limits }: UploadParts,
  caller: Caller,
  exchange: Exchange,
): Promise<FileRow> {
  const { fileBytesMax, fileKeepMs } = limits();
  const boundary = boundaryOf(exchange.header('content-type'));
  const pieces = exchange.readPieces({ bytesMax: fileBytesMax + formBytesMax });
  const { accountId, keyId } = caller.key;
  const fields = new Map<string, string>();
  let writer: FileWriter | undefined;
  let filename = '';
  let field: string | undefined;
  try {
    for await (const piece of formPieces(pieces, boundary)) {
      if (piece.type === 'part') {
        field = piece.name === 'file' ? undefined : piece.name;
        if (field !== undefined) continue;
        if (writer) throw invalid('The form has two parts named file. Send one file in a request.');
        filename = piece.filename ?? 'file';
        writer = await files.create({ accountId, keyId, purpose: '', filename, expiresAt: null });
      } else if (field === undefined) await writer?.add(piece.bytes);
      else {
        const text = (fields.get(field) ?? '') + piece.bytes.toString('utf8');
        if (text.length > fieldBytesMax) throw invalid('A field of the form is too long.');
        fields.set(field, text);
      }
    }
    if (!writer) throw invalid('The form has no part named file.');
    const purpose = fields.get('purpose') ?? '';
    if (!purposes.has(purpose)) throw invalid(`purpose must be one of ${[...purposes].join(', ')}.`);
    if (purpose === 'batch' && !filename.endsWith('.jsonl'))
      throw invalid('A file for a batch must have a name that ends in .jsonl.');
    const seconds = expirySeconds(fields);
    const keptMs = seconds === undefined ? (purpose === 'batch' ? fileKeepMs : undefined) : seconds * 1000;
    return await writer.end({
      purpose,
      filename: filename.slice(0, 512),
      expires_at: keptMs === undefined ? null : now() + keptMs,
    });
  } catch (error) {
    await writer?.discard().catch(() => undefined);
    throw error;
  }
}

function expirySeconds(fields: ReadonlyMap<string, string>): number | undefined {
  const [anchor, seconds] = [fields.get('expires_after[anchor]'), fields.get('expires_after[seconds]')];
  if (anchor === undefined && seconds === undefined) return undefined;
  if (anchor !== 'created_at') throw invalid('expires_after[anchor] must be created_at.');
  return requireSeconds(Number(seconds), 'expires_after[seconds]');
}

export function requireSeconds(seconds: number, name: string): number {
  if (Number.isInteger(seconds) && seconds >= secondsMin && seconds <= secondsMax) return seconds;
  throw invalid(`${name} must be an integer from ${secondsMin} to ${secondsMax}.`);
}

export function invalid(detail: string): GatewayError {
  return new GatewayError('invalid-request', { detail });
}
