import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { HttpFault } from './fault.ts';
import { findJsonFlaw } from './json-flaw.ts';
import { inspectJson, type JsonVerdict } from './json-guard.ts';
import type { HttpLimits } from './limits.ts';

/** Refuses a body by its headers alone, unless they promise JSON in UTF-8 as it is. */
export function checkJsonHeaders(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentType !== 'application/json') checkContentType(contentType);
  checkEncoding(contentEncoding);
}

/** Refuses a body that is not sent as it is. */
export function checkEncoding(contentEncoding: string | undefined): void {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw unparseable('Compressed request bodies are not accepted. Send the body as it is, without Content-Encoding.');
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

/** Work on a body larger than this takes long enough that others get their turn in between, and none is done twice. */
const largeBytes = 1024 * 1024;

export interface ParsedJson {
  readonly text: string;
  readonly value: unknown;
  /** Whether it has whole numbers of which the value may lack digits. */
  readonly hasLongNumbers: boolean;
}

/** The text and the value of a JSON body whose shape, size and numbers are harmless. */
export async function parseJson(bytes: Buffer, limits: HttpLimits): Promise<ParsedJson> {
  const verdict = inspected(bytes, limits);
  if (bytes.length > largeBytes) await setImmediate();
  return parsedAfter(verdict, bytes);
}

/** The same at once, for a body that is not large. */
export function parseJsonNow(bytes: Buffer, limits: HttpLimits): ParsedJson {
  return parsedAfter(inspected(bytes, limits), bytes);
}

function inspected(bytes: Buffer, limits: HttpLimits): JsonVerdict {
  if (bytes.length === 0) throw unparseable('The request body is empty. Send a JSON object.');
  if (!isUtf8(bytes)) throw unparseable('The request body is not valid UTF-8.');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw unparseable('The request body starts with a byte order mark. Send the JSON without it.');
  }
  const verdict = inspectJson(bytes, { depthMax: limits.jsonDepthMax, tokensMax: limits.jsonTokensMax });
  if (verdict === 'too-deep') {
    throw unparseable(`The JSON is nested more than ${limits.jsonDepthMax} levels deep. Flatten it.`);
  }
  if (verdict === 'backslash-in-name') {
    throw unparseable('The JSON has a member whose name holds a backslash, which is not taken here. Use another name.');
  }
  if (verdict === 'too-many-tokens') {
    throw unparseable(`The JSON has more than ${limits.jsonTokensMax} values and names. Send fewer at once.`);
  }
  return verdict;
}

function parsedAfter(verdict: JsonVerdict, bytes: Buffer): ParsedJson {
  const text = bytes.toString('utf8');
  const value = parsed(text);
  if (verdict === 'number-out-of-range') {
    throw new HttpFault('invalid-request', 'The JSON holds a number beyond the range of a double. Send a smaller one.');
  }
  return { text, value, hasLongNumbers: verdict === 'long-number' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unparseable(`The request body is not valid JSON: ${whereItBreaks(text)}.`);
  }
}

function whereItBreaks(text: string): string {
  const flaw = text.length > largeBytes ? undefined : findJsonFlaw(text);
  if (!flaw) return 'it breaks the grammar of JSON';
  const place = `line ${flaw.line}, column ${flaw.column}`;
  return flaw.isTruncated ? `it ends too early, at ${place}` : `it breaks off at ${place}`;
}

function unparseable(detail: string): HttpFault {
  return new HttpFault('unparseable-body', detail);
}
