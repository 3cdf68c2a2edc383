import type { ReceivedReply } from './client.ts';
import { at, isObject, parsed } from './json.ts';

const shownMax = 200;

/** A value for the report: on one line, printable, at most 200 characters. */
export function show(value: unknown): string {
  return trimmed(JSON.stringify(value, absentNamed));
}

/** A short description of a reply: its status, and the fields of its error or the start of its body. */
export function describe(reply: ReceivedReply): string {
  const error = at(parsed(reply.text), 'error');
  if (isObject(error)) {
    return `${reply.status} ${show(error.type)} code ${show(error.code)} message ${show(error.message)}`;
  }
  const body = reply.text === '' ? 'with no body' : show(reply.text);
  return `${reply.status} ${reply.mediaType === '' ? 'without a media type' : trimmed(reply.mediaType)} ${body}`;
}

/** The request of a reply, for checks over many replies. */
export function requestOf(reply: ReceivedReply): string {
  return `${reply.method} ${reply.path}${reply.sent === '' ? '' : ` ${trimmed(reply.sent)}`}`;
}

function absentNamed(_name: string, value: unknown): unknown {
  return value === undefined ? '(absent)' : value;
}

function trimmed(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ');
  return line.length <= shownMax ? line : `${line.slice(0, shownMax)}…`;
}
