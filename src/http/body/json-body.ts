import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { JsonBody } from '../exchange.ts';
import { HttpFault } from '../fault.ts';
import { findJsonFlaw } from './json-flaw.ts';
import { inspectJson, type JsonVerdict } from './json-guard.ts';
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
  return parseInspected(verdict, text);
}

export function parseJsonNow(bytes: Buffer, limits: HttpLimits): ParsedJson {
  const text = decode(bytes);
  return parseInspected(inspect(text, limits), text);
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
  const verdict = inspectJson(text, { depthMax: limits.jsonDepthMax, tokensMax: limits.jsonTokensMax });
  if (verdict === 'too-deep') {
    throw unparseable(`The JSON is nested more than ${limits.jsonDepthMax} levels deep. Flatten it.`);
  }
  if (verdict === 'backslash-in-name') {
    throw unparseable('A member name in the JSON contains a backslash, which is not supported. Use another name.');
  }
  if (verdict === 'too-many-tokens') {
    throw unparseable(`The JSON has more than ${limits.jsonTokensMax} values and names. Send fewer in one request.`);
  }
  return verdict;
}

function parseInspected(verdict: JsonVerdict, text: string): ParsedJson {
  const value = parse(text);
  if (verdict === 'number-out-of-range') {
    throw new HttpFault(
      'invalid-request',
      'The JSON contains a number outside the range of a double. Send a smaller one.',
    );
  }
  return { text, value, hasLongNumbers: verdict === 'long-number' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unparseable(`The request body is not valid JSON: ${describeFlaw(text)}.`);
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
