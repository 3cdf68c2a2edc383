import { createHash } from 'node:crypto';
import type { Caller } from '../../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { FileEnd, FileRow, FileWriter } from '../../../work/files/file-writer.ts';
import type { Files } from '../../../work/files/files.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Creations } from '../creations.ts';
import { boundaryOf } from '../pass-through/multipart.ts';
import { formPieces } from './form-pieces.ts';

export interface UploadParts {
  readonly files: Files;
  readonly creations: Creations;
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
export async function upload(parts: UploadParts, caller: Caller, exchange: Exchange): Promise<FileRow> {
  const { files, creations } = parts;
  // Its content is only compared with the first one.
  const isStored = (await creations.admit({ caller, exchange })) === 'first';
  const form = await readForm(parts, { caller, exchange, isStored });
  const { writer, digest, changes } = form;
  let id: string | undefined;
  try {
    await writer?.flush();
    id = await creations.once({ caller, exchange, digest }, async (store) => {
      // The note of the first upload has expired meanwhile.
      if (!writer) throw new GatewayError('overloaded');
      await writer.end(changes, store);
      return writer.id;
    });
  } finally {
    if (writer && id !== writer.id) await writer.discard().catch(() => undefined);
  }
  const file = await files.find(caller.key.accountId, id);
  if (!file) throw new GatewayError('not-found', { detail: 'The file of this Idempotency-Key was deleted.' });
  return file;
}

interface UploadedForm {
  /** Undefined if the file is not stored again. */
  readonly writer: FileWriter | undefined;
  /** Of the fields and the content, whatever the boundary of the form is. */
  readonly digest: string;
  readonly changes: FileEnd;
}

interface UploadTerms {
  readonly caller: Caller;
  readonly exchange: Exchange;
  readonly isStored: boolean;
}

async function readForm(
  { files, limits }: UploadParts,
  { caller, exchange, isStored }: UploadTerms,
): Promise<UploadedForm> {
  const { fileBytesMax, fileKeepMs } = limits();
  const boundary = boundaryOf(exchange.header('content-type'));
  const pieces = exchange.readPieces({ bytesMax: fileBytesMax + formBytesMax });
  const { accountId, keyId } = caller.key;
  const fields = new Map<string, string>();
  const hash = createHash('sha256');
  let writer: FileWriter | undefined;
  let filename: string | undefined;
  let field: string | undefined;
  try {
    for await (const piece of formPieces(pieces, boundary)) {
      if (piece.type === 'part') {
        field = piece.name === 'file' ? undefined : piece.name;
        if (field !== undefined) continue;
        if (filename !== undefined) throw invalid('The form has two parts named file. Send one file in a request.');
        filename = piece.filename ?? 'file';
        const hasLines = filename.endsWith('.jsonl');
        const file = { accountId, keyId, purpose: '', filename, keepMs: null, hasLines };
        if (isStored) writer = await files.create(file);
      } else if (field === undefined) {
        hash.update(piece.bytes);
        await writer?.add(piece.bytes);
      } else {
        const text = (fields.get(field) ?? '') + piece.bytes.toString('utf8');
        if (text.length > fieldBytesMax) throw invalid('A field of the form is too long.');
        fields.set(field, text);
      }
    }
    if (filename === undefined) throw invalid('The form has no part named file.');
    hash.update(JSON.stringify([filename, ...fields]));
    return { writer, digest: hash.digest('base64url'), changes: changesIn(fields, filename, fileKeepMs) };
  } catch (error) {
    await writer?.discard().catch(() => undefined);
    throw error;
  }
}

function changesIn(fields: ReadonlyMap<string, string>, filename: string, fileKeepMs: number): UploadedForm['changes'] {
  const purpose = fields.get('purpose') ?? '';
  if (!purposes.has(purpose)) throw invalid(`purpose must be one of ${[...purposes].join(', ')}.`);
  if (purpose === 'batch' && !filename.endsWith('.jsonl'))
    throw invalid('A file for a batch must have a name that ends in .jsonl.');
  const seconds = expirySeconds(fields);
  const keepMs = seconds === undefined ? (purpose === 'batch' ? fileKeepMs : null) : seconds * 1000;
  return { purpose, filename: filename.slice(0, 512), keepMs };
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
