import type { ChatRequest, PriceOptions } from './chat/chat-request.ts';
import { levelFields, levelNames, type ServiceLevel } from './price.ts';
import { fieldName, type FieldPath } from './invalid-request.ts';
import { spliceMembers, withoutMembers } from './json/json-splice.ts';
import { isObject, nonEmptyString, type WireObject } from './wire-value.ts';

/** Select a price at the provider. Encoders remove them and then write the level that the model has a price for. */
const pricedFields: ReadonlySet<string> = new Set([...Object.values(levelNames), 'serviceTier', 'inferenceGeo']);

/** Fields in which providers, and gateways in front of them, accept such fields too, at any depth. */
const optionFields: ReadonlySet<string> = new Set(['extra_body', 'provider', 'provider_options', 'providerOptions']);

/** At most this many fields are named in the record. */
const notedMax = 16;
const nameShownMax = 64;

/** The client's body without those fields. Returns the same object if there are none. */
export function withoutPricedFields(body: WireObject): WireObject {
  return mayHavePricedFields(body) ? without(body, optionFields) : body;
}

/** The same for the text of the body. Fields that are in the text and not in `body` stay. */
export function unpricedText(text: string, body: WireObject): string {
  const kept = withoutPricedFields(body);
  if (kept === body) return text;
  const changed = [...optionFields].filter((name) => kept[name] !== body[name]);
  const options = new Map(changed.map((name) => [name, JSON.stringify(kept[name])]));
  const removed = new Set([...pricedFields].filter((name) => Object.hasOwn(body, name)));
  return spliceMembers(withoutMembers(text, removed), options);
}

/** The fields and headers of a request that select a price. Returns `undefined` for most requests. */
export function decodePriceOptions(body: WireObject, betas: readonly string[] = []): PriceOptions | undefined {
  const names = mayHavePricedFields(body) ? [...paths(body, optionFields, [])].map(fieldName) : [];
  const fields = [...names, ...betas];
  return fields.length === 0 ? undefined : { requested: decodeLevel(body), fields };
}

export function decodeLevel(wire: WireObject): ServiceLevel {
  return {
    serviceTier: nonEmptyString(wire[levelNames.serviceTier]),
    speed: nonEmptyString(wire[levelNames.speed]),
    region: nonEmptyString(wire[levelNames.region]),
  };
}

/** The level to ask the provider for, as members of its request. */
export function levelMembers({
  priceOptions,
}: Pick<ChatRequest, 'priceOptions'>): readonly (readonly [string, string])[] {
  return levelFields.flatMap((field) => {
    const value = priceOptions?.level?.[field];
    return value === undefined ? [] : [[levelNames[field], value] as const];
  });
}

export function pricedNotes(names: readonly string[] = []): readonly string[] {
  if (names.length === 0) return [];
  return [`left out, because it changes the provider's price: ${names.slice(0, notedMax).join(', ')}`];
}

/** A quick check: most bodies have no such field. */
function mayHavePricedFields(body: WireObject): boolean {
  for (const name of Object.keys(body)) if (pricedFields.has(name) || optionFields.has(name)) return true;
  return false;
}

/** The fields to search inside; `undefined` for all. */
type SearchedFields = ReadonlySet<string> | undefined;

function without(fields: WireObject, searched: SearchedFields): WireObject {
  let isChanged = false;
  const kept: [string, unknown][] = [];
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const next = isSearched(name, value, searched) ? without(value as WireObject, undefined) : value;
    const isPriced = pricedFields.has(name);
    isChanged ||= isPriced || next !== value;
    if (!isPriced) kept.push([name, next]);
  }
  return isChanged ? Object.fromEntries(kept) : fields;
}

function* paths(fields: WireObject, searched: SearchedFields, path: FieldPath): Generator<FieldPath> {
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const here = [...path, name.slice(0, nameShownMax)];
    if (pricedFields.has(name)) {
      if (value !== null && value !== undefined) yield here;
    } else if (isSearched(name, value, searched)) yield* paths(value as WireObject, undefined, here);
  }
}

function isSearched(name: string, value: unknown, searched: SearchedFields): boolean {
  return isObject(value) && (searched === undefined || searched.has(name));
}
