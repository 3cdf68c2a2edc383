import { withoutMembers } from 'chat-formats/json/json-splice.ts';
import { isObject } from 'chat-formats/wire-value.ts';
import type { JsonBody } from '../http/exchange.ts';
import { formParts } from './pass-through/multipart.ts';

/** A note names at most so many fields. */
const namesMax = 20;

export function hasFields(value: unknown, fields: ReadonlySet<string>): boolean {
  return fieldsIn(value, fields).length > 0;
}

/** The body without the fields that its site ignores. A record notes their names. */
export function withoutIgnored(
  body: JsonBody,
  ignored: ReadonlySet<string> | undefined,
  note: (text: string) => void = () => {},
): JsonBody {
  const names = ignored ? fieldsIn(body.value, ignored) : [];
  if (names.length === 0) return body;
  const removed = new Set(names);
  note(ignoredNote(names));
  const kept = Object.entries(body.value as object).filter(([name]) => !removed.has(name));
  return { ...body, value: Object.fromEntries(kept), text: withoutMembers(body.text, removed) };
}

/** The form without the parts of these names. */
export function withoutIgnoredParts(
  body: Buffer,
  boundary: string,
  { ignored, note }: { readonly ignored: ReadonlySet<string> | undefined; readonly note: (text: string) => void },
): Buffer {
  const parts = ignored ? formParts(body, boundary) : [];
  const names = parts.map(({ name }) => name).filter((name) => ignored?.has(name));
  if (names.length === 0) return body;
  note(ignoredNote([...new Set(names)]));
  let start = body.indexOf(`--${boundary}`, 0, 'latin1');
  const kept: Buffer[] = [];
  for (const { name, end } of parts) {
    const next = end + '\r\n'.length;
    if (!ignored?.has(name)) kept.push(body.subarray(start, next));
    start = next;
  }
  return Buffer.concat([...kept, body.subarray(start)]);
}

function ignoredNote(names: readonly string[]): string {
  return `fields that the site ignores: ${names.slice(0, namesMax).join(', ')}`;
}

function fieldsIn(value: unknown, fields: ReadonlySet<string>): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((name) => fields.has(name)) : [];
}
