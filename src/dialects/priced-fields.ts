import { fieldName, type FieldPath } from './invalid-request.ts';
import { spliceMembers, withoutMembers } from './json-splice.ts';
import { isObject, type WireObject } from './wire-value.ts';

/**
 * Fields by which a client chooses at which price the provider answers: a tier, a speed or a region. A model's entry has
 * one price, so the provider must not see them, in whatever format.
 */
const pricedFields: ReadonlySet<string> = new Set([
  'service_tier',
  'serviceTier',
  'speed',
  'inference_geo',
  'inferenceGeo',
]);

/** Fields in which providers and the gateways before them look for such fields too, at any depth. */
const optionFields: ReadonlySet<string> = new Set(['extra_body', 'provider', 'provider_options', 'providerOptions']);

/** More would not help anyone read a record. */
const notedMax = 16;
/** A longer name is no name but a value, and is not repeated. */
const nameShownMax = 64;

/** The client's body without those fields: the same object where there are none. */
export function unpriced(body: WireObject): WireObject {
  return mayHold(body) ? without(body, optionFields) : body;
}

/** The same for the text of the body, every other character of a value left as it is. */
export function unpricedText(text: string, body: WireObject): string {
  const kept = unpriced(body);
  if (kept === body) return text;
  const changed = [...optionFields].filter((name) => kept[name] !== body[name]);
  const options = new Map(changed.map((name) => [name, JSON.stringify(kept[name])]));
  return spliceMembers(withoutMembers(text, pricedFields), options);
}

/** What the record of a request should tell of what was left out. */
export function pricedNotes(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [`left out, because the provider asks another price for it: ${names.slice(0, notedMax).join(', ')}`];
}

/** The names of those fields, where they say something. */
export function pricedIn(body: WireObject): readonly string[] {
  return mayHold(body) ? [...paths(body, optionFields, [])].map(fieldName) : [];
}

/** Whether it is worth looking closer: most bodies name no such field. */
function mayHold(body: WireObject): boolean {
  for (const name of Object.keys(body)) if (pricedFields.has(name) || optionFields.has(name)) return true;
  return false;
}

/** Looks inside of the fields of these names, or of all. */
type Inside = ReadonlySet<string> | undefined;

function without(fields: WireObject, inside: Inside): WireObject {
  let isChanged = false;
  const kept: [string, unknown][] = [];
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const next = isLookedInto(name, value, inside) ? without(value as WireObject, undefined) : value;
    const isPriced = pricedFields.has(name);
    isChanged ||= isPriced || next !== value;
    if (!isPriced) kept.push([name, next]);
  }
  return isChanged ? Object.fromEntries(kept) : fields;
}

function* paths(fields: WireObject, inside: Inside, path: FieldPath): Generator<FieldPath> {
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const here = [...path, name.slice(0, nameShownMax)];
    if (pricedFields.has(name)) {
      if (value !== null && value !== undefined) yield here;
    } else if (isLookedInto(name, value, inside)) yield* paths(value as WireObject, undefined, here);
  }
}

function isLookedInto(name: string, value: unknown, inside: Inside): boolean {
  return isObject(value) && (inside === undefined || inside.has(name));
}
