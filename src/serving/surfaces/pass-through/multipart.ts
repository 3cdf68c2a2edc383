import { unparseable } from '../../http/body/json-body.ts';
import type { HttpFault } from '../../http/fault.ts';

/** More parts than any supported form has. */
const partsMax = 64;
export const headBytesMax = 8192;

export interface FormPart {
  readonly name: string;
  readonly isFile: boolean;
  /** The name of the file as the client sent it. */
  readonly filename: string | undefined;
  readonly start: number;
  readonly end: number;
}

export function boundaryOf(contentType: string | undefined): string {
  const [mediaType = '', ...parameters] = (contentType ?? '').split(';');
  if (mediaType.trim().toLowerCase() !== 'multipart/form-data') {
    throw unparseable('The Content-Type is not multipart/form-data. Send the file as a form.');
  }
  for (const parameter of parameters) {
    const [, boundary] = /^\s*boundary\s*=\s*"?([\w'()+,./:=? -]{1,70}?)"?\s*$/i.exec(parameter) ?? [];
    if (boundary !== undefined) return boundary;
  }
  throw unparseable('The Content-Type has no boundary parameter.');
}

/** The parts of a form, without copying. Throws if the form is malformed. */
export function formParts(body: Buffer, boundary: string): readonly FormPart[] {
  const line = Buffer.from(`--${boundary}`, 'latin1');
  const parts: FormPart[] = [];
  let at = body.indexOf(line);
  if (at !== 0 && body.subarray(at - 2, at).toString('latin1') !== '\r\n') throw malformed();
  for (;;) {
    at += line.length;
    const after = body.subarray(at, at + 2).toString('latin1');
    if (after === '--') return parts;
    const headEnd = body.subarray(at, at + headBytesMax).indexOf('\r\n\r\n');
    if (after !== '\r\n' || headEnd < 0) throw malformed();
    if (parts.length === partsMax) throw unparseable(`The form has more than ${partsMax} parts. Send fewer.`);
    const start = at + headEnd + 4;
    const end = body.indexOf(`\r\n--${boundary}`, start, 'latin1');
    if (end < 0) throw malformed();
    parts.push({ ...partHead(body.toString('latin1', at + 2, start - 2)), start, end });
    at = end + 2;
  }
}

/** The head of a part, without the line of its boundary. */
export function partHead(head: string): Pick<FormPart, 'name' | 'isFile' | 'filename'> {
  const disposition = head.split('\r\n').find((line) => /^content-disposition:/i.test(line)) ?? '';
  const [, quoted, unquoted] = /;\s*name\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  const name = quoted ?? unquoted;
  if (name === undefined) throw unparseable('A part of the form has no name.');
  const [, file] = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition) ?? [];
  return { name, isFile: /;\s*filename\*?\s*=/i.test(disposition), filename: file };
}

export function malformed(): HttpFault {
  return unparseable('The form is malformed: its parts do not match its boundary.');
}
