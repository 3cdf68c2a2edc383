import type { z } from 'zod';
import { GatewayError } from './gateway-error.ts';
import type { WireObject } from './wire-value.ts';

/** The path of a field in a body, outermost name first. */
export type FieldPath = readonly PropertyKey[];

export interface InvalidField {
  readonly path: FieldPath;
  readonly rule: string;
}

/** At most this many errors are shown: more do not help to correct a request. */
const shownMax = 3;

/** Longer names are shortened, or not shown. */
const nameShownMax = 64;

/** Names each field and its rule. Leaves out the values: they may be long or secret. */
export function invalidRequest(invalid: readonly InvalidField[]): GatewayError {
  const sentences = new Set(invalid.map(({ path, rule }) => `${fieldName(path)} ${rule}`));
  return new GatewayError('invalid-request', { detail: `${[...sentences].slice(0, shownMax).join('; ')}.` });
}

/** The parsed value. Throws `invalid-request` if it, or `forwarded`, the body for the provider, violates a rule. */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  forwarded: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value);
  const invalid = result.success ? infiniteFields(forwarded as WireObject) : invalidFields(result.error);
  if (invalid.length > 0 || !result.success) throw invalidRequest(invalid);
  return result.data;
}

export function invalidFields(error: z.ZodError): readonly InvalidField[] {
  return error.issues.map((issue) => ({ path: issue.path, rule: issue.message }));
}

/** Infinite numbers (`1e400`) of top-level fields. JSON has no infinity, so forwarding would write `null`. */
export function infiniteFields(body: WireObject): readonly InvalidField[] {
  const invalid: InvalidField[] = [];
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (value !== Infinity && value !== -Infinity) continue;
    invalid.push({ path: name.length <= nameShownMax ? [name] : [], rule: 'holds a number that is out of range' });
  }
  return invalid;
}

/** The path in the notation of clients: `messages[0].content`. */
export function fieldName(path: FieldPath): string {
  if (path.length === 0) return 'The body';
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`;
    return name === '' ? String(step) : `${name}.${String(step)}`;
  }, '');
}

/** The top-level fields that have a value and are in none of the given lists. `null` and an empty list are no value. */
export function* fieldsOutside(body: WireObject, lists: readonly ReadonlySet<string>[]): Generator<FieldPath> {
  for (const [name, value] of Object.entries(body)) {
    const saysNothing = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    if (saysNothing || lists.some((list) => list.has(name))) continue;
    yield [name.length <= nameShownMax ? name : `${name.slice(0, nameShownMax)}…`];
  }
}
