import type { ReceivedReply } from './client.ts';
import { at, isObject, parsed } from './json.ts';

const shownMax = 200;

/** A value for the report: on one line, printable, at most 200 characters. */
export function show(value: unknown): string {
  return trimmed(JSON.stringify(value, absentNamed));
}

/** A short description of an answer: its status, and the fields of its error or the start of its body. */
export function describe(answer: ReceivedReply): string {
  const error = at(parsed(answer.text), 'error');
  if (isObject(error)) {
    return `${answer.status} ${show(error.type)} code ${show(error.code)} message ${show(error.message)}`;
  }
  const body = answer.text === '' ? 'with no body' : show(answer.text);
  return `${answer.status} ${answer.mediaType === '' ? 'without a media type' : trimmed(answer.mediaType)} ${body}`;
}

/** The request of an answer, for checks over many answers. */
export function requestOf(answer: ReceivedReply): string {
  return `${answer.method} ${answer.path}${answer.sent === '' ? '' : ` ${trimmed(answer.sent)}`}`;
}

function absentNamed(_name: string, value: unknown): unknown {
  return value === undefined ? '(absent)' : value;
}

function trimmed(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ');
  return line.length <= shownMax ? line : `${line.slice(0, shownMax)}…`;
}
