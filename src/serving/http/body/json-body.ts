import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { ForeignJsonError, inspectForeign, parseInspected } from 'chat-formats/json/foreign-json.ts';
import type { JsonVerdict } from 'chat-formats/json/json-guard.ts';
import type { JsonBody } from '../exchange.ts';
import { HttpFault } from '../fault.ts';
import { findJsonFlaw } from './json-flaw.ts';
import type { HttpLimits } from '../limits.ts';

/** Throws unless the headers state uncompressed JSON in UTF-8. */
export function checkJsonHeaders(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentType !== 'application/json') checkContentType(contentType);
  checkEncoding(contentEncoding);
}

export function checkEncoding(contentEncoding: string | undefined): void {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw unparseable(
      'Compressed request bodies are not supported. Send the body uncompressed, without Content-Encoding.',
    );
  }
}

function checkContentType(contentType: string | undefined): void {
  if (contentType === undefined) {
    throw unparseable('The request has no Content-Type. Send JSON with Content-Type: application/json.');
  }
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  if (mediaType.trim() !== 'application/json') {
    throw unparseable('The Content-Type is not application/json. Send JSON with Content-Type: application/json.');
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim() === 'charset' && !/^\s*("utf-8"|utf-8)\s*$/.test(value)) {
      throw unparseable('The charset is not UTF-8. Send the JSON in UTF-8.');
    }
  }
}

/** For a larger body, parsing yields to the event loop once, and the position of a syntax error is not computed. */
const largeBytes = 1024 * 1024;

export type ParsedJson = Pick<JsonBody, 'text' | 'value' | 'hasLongNumbers'>;

export async function parseJson(bytes: Buffer, limits: HttpLimits): Promise<ParsedJson> {
  const text = decode(bytes);
  const verdict = inspect(text, limits);
  if (bytes.length > largeBytes) await setImmediate();
  return parse(verdict, text);
}

export function parseJsonNow(bytes: Buffer, limits: HttpLimits): ParsedJson {
  const text = decode(bytes);
  return parse(inspect(text, limits), text);
}

function decode(bytes: Buffer): string {
  if (bytes.length === 0) throw unparseable('The request body is empty. Send a JSON object.');
  if (!isUtf8(bytes)) throw unparseable('The request body is not valid UTF-8.');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw unparseable('The request body starts with a byte order mark. Send the JSON without it.');
  }
  return bytes.toString('utf8');
}

function inspect(text: string, limits: HttpLimits): JsonVerdict {
  return asFault(text, () => inspectForeign(text, { depthMax: limits.jsonDepthMax, tokensMax: limits.jsonTokensMax }));
}

function parse(verdict: JsonVerdict, text: string): ParsedJson {
  const value = asFault(text, () => parseInspected(verdict, text));
  return { text, value, hasLongNumbers: verdict === 'long-number' };
}

function asFault<Result>(text: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ForeignJsonError)) throw error;
    if (error.flaw === 'number-out-of-range') throw new HttpFault('invalid-request', error.message);
    throw unparseable(
      error.flaw === 'syntax' ? `The request body is not valid JSON: ${describeFlaw(text)}.` : error.message,
    );
  }
}

function describeFlaw(text: string): string {
  const flaw = text.length > largeBytes ? undefined : findJsonFlaw(text);
  if (!flaw) return 'it has a syntax error';
  const position = `line ${flaw.line}, column ${flaw.column}`;
  return flaw.isTruncated ? `it ends too early, at ${position}` : `it has a syntax error at ${position}`;
}

export function unparseable(detail: string): HttpFault {
  return new HttpFault('unparseable-body', detail);
}
