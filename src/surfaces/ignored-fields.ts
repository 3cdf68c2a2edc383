import { withoutMembers } from '../dialects/json-splice.ts';
import { isObject } from '../dialects/wire-value.ts';
import type { JsonBody } from '../http/exchange.ts';

/** A note names at most so many fields. */
const namesMax = 20;

export function hasFields(value: unknown, fields: ReadonlySet<string>): boolean {
  return fieldsIn(value, fields).length > 0;
}

/** The body without the fields that its site ignores. `note` gets a sentence for the record if there were any. */
export function withoutIgnored(
  body: JsonBody,
  ignored: ReadonlySet<string> | undefined,
  note: (text: string) => void,
): JsonBody {
  const names = ignored ? fieldsIn(body.value, ignored) : [];
  if (names.length === 0) return body;
  const removed = new Set(names);
  note(`fields that the site ignores: ${names.slice(0, namesMax).join(', ')}`);
  const kept = Object.entries(body.value as object).filter(([name]) => !removed.has(name));
  return { ...body, value: Object.fromEntries(kept), text: withoutMembers(body.text, removed) };
}

function fieldsIn(value: unknown, fields: ReadonlySet<string>): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((name) => fields.has(name)) : [];
}
