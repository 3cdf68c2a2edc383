import { crc32 } from 'node:zlib';
import type { Utf8Reader } from '../answer/utf8.ts';
import { eventCharactersMax } from 'chat-formats/event-stream-decoder.ts';
import { nonEmptyString, objectOf, parsedJson } from 'chat-formats/wire-value.ts';

export const awsEventStreamType = 'application/vnd.amazon.eventstream';

/** Lengths of the frame and of its headers, and their checksum. */
const preludeBytes = 12;
const checksumBytes = 4;

/**
 * Reads AWS event-stream frames around events of the messages format, and returns them as the server-sent events of
 * that format. After a malformed frame the start of the next one is unknown: the last event is then an error.
 */
export function awsEventStreamReader(): Utf8Reader {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let needed = preludeBytes;
  let isBroken = false;

  function read(bytes: Buffer): string {
    let rest = bytes;
    let text = '';
    try {
      for (needed = frameBytes(rest); rest.length >= needed; needed = frameBytes(rest)) {
        text += eventText(rest.subarray(0, needed));
        rest = rest.subarray(needed);
      }
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      isBroken = true;
      return text + errorEvent('malformedFrame', error.message);
    }
    held = [rest];
    heldBytes = rest.length;
    return text;
  }

  return {
    push(bytes) {
      if (isBroken) return '';
      // A copy, because the socket reuses its buffer.
      held.push(Buffer.from(bytes));
      heldBytes += bytes.length;
      return heldBytes < needed ? '' : read(Buffer.concat(held));
    },
    end: () => '',
  };
}

class MalformedFrame extends Error {}

/** The length of the first frame, or of its prelude while that is incomplete. */
function frameBytes(bytes: Buffer): number {
  if (bytes.length < preludeBytes) return preludeBytes;
  const isValid =
    crc32(bytes.subarray(0, preludeBytes - checksumBytes)) === bytes.readUInt32BE(preludeBytes - checksumBytes);
  if (!isValid) throw new MalformedFrame('the lengths do not match their checksum');
  const length = bytes.readUInt32BE(0);
  if (length > eventCharactersMax) throw new MalformedFrame(`the frame has ${length} bytes`);
  if (length < preludeBytes + bytes.readUInt32BE(4) + checksumBytes) throw new MalformedFrame('the frame is too short');
  return length;
}

function eventText(frame: Buffer): string {
  const payloadEnd = frame.length - checksumBytes;
  if (crc32(frame.subarray(0, payloadEnd)) !== frame.readUInt32BE(payloadEnd)) {
    throw new MalformedFrame('the frame does not match its checksum');
  }
  const headersEnd = preludeBytes + frame.readUInt32BE(4);
  const headers = textHeaders(frame.subarray(preludeBytes, headersEnd));
  const payload = objectOf(parsedJson(frame.toString('utf8', headersEnd, payloadEnd))) ?? {};
  const failure = headers.get(':exception-type') ?? headers.get(':error-code');
  if (failure !== undefined) return errorEvent(failure, payload.message ?? headers.get(':error-message'));
  // Frames of other types report about the service, not about the answer.
  const encoded = nonEmptyString(payload.bytes);
  return encoded === undefined ? '' : serverSentEvent(Buffer.from(encoded, 'base64').toString('utf8'));
}

function serverSentEvent(json: string): string {
  const type = nonEmptyString(objectOf(parsedJson(json))?.type) ?? 'message';
  // JSON has line breaks only between its tokens.
  return `event: ${type.replaceAll(/\s/g, '')}\ndata: ${json.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
}

/** The error types of the messages format. Others are failures of the provider. */
const errorTypes: ReadonlyMap<string, string> = new Map([
  ['validationException', 'invalid_request_error'],
  ['throttlingException', 'rate_limit_error'],
  ['serviceUnavailableException', 'overloaded_error'],
  ['modelTimeoutException', 'timeout_error'],
]);

function errorEvent(exception: string, message: unknown): string {
  const error = { type: errorTypes.get(exception) ?? 'api_error', message: `${exception}: ${String(message)}` };
  return serverSentEvent(JSON.stringify({ type: 'error', error }));
}

const textType = 7;

/** The bytes of a value of each other type. Types from 6 on have a length of two bytes instead. */
const fixedBytes = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

function textHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const type = nameEnd < bytes.length ? bytes.readUInt8(nameEnd) : -1;
    const isSized = type === 6 || type === textType;
    if ((!isSized && fixedBytes[type] === undefined) || (isSized && nameEnd + 3 > bytes.length)) {
      throw new MalformedFrame('a header is malformed');
    }
    const start = nameEnd + (isSized ? 3 : 1);
    const end = start + (isSized ? bytes.readUInt16BE(nameEnd + 1) : (fixedBytes[type] ?? 0));
    if (type === textType) headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', start, end));
    at = end;
  }
  return headers;
}
