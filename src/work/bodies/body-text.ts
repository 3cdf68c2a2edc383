import { isUtf8 } from 'node:buffer';
import type { CopiedBodies, CopiedBody } from './body-copy.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

export interface StoredBody extends CopiedBody {
  /** The bytes as text, if they are valid UTF-8. */
  readonly text: string | undefined;
}

export interface OpenedBodies {
  readonly request: StoredBody | undefined;
  readonly answer: StoredBody | undefined;
}

/** One body in the encrypted text; a body that is not text is in base64. */
interface WrittenBody {
  readonly text?: string;
  readonly base64?: string;
  readonly length: number;
}

export function encodeBodies({ request, answer }: CopiedBodies): string {
  return JSON.stringify({ request: request && written(request), answer: answer && written(answer) });
}

export function decodeBodies(text: string): OpenedBodies {
  const { request, answer } = ownJson(text) as { request?: WrittenBody; answer?: WrittenBody };
  return { request: request && read(request), answer: answer && read(answer) };
}

function written({ bytes, length }: CopiedBody): WrittenBody {
  const whole = bytes.length < length ? bytes.subarray(0, wholeCharacters(bytes)) : bytes;
  return isUtf8(whole) ? { text: whole.toString('utf8'), length } : { base64: bytes.toString('base64'), length };
}

function read({ text, base64 = '', length }: WrittenBody): StoredBody {
  const bytes = text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text);
  return { bytes, text, length };
}

const bytesOfCharacterMax = 4;

/** The number of bytes without a last character that truncation has split. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(bytesOfCharacterMax, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return back < widthOf(byte) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function widthOf(byte: number): number {
  if (byte < 0xc0) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
