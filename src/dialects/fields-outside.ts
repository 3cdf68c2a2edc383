import type { FieldPath } from './invalid-request.ts';
import type { WireObject } from './wire-value.ts';

/** Longer names are shortened in the message. */
const nameShownMax = 64;

/** The top-level fields that have a value and are in none of the given lists. `null` and an empty list are no value. */
export function* fieldsOutside(body: WireObject, lists: readonly ReadonlySet<string>[]): Generator<FieldPath> {
  for (const [name, value] of Object.entries(body)) {
    const saysNothing = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    if (saysNothing || lists.some((list) => list.has(name))) continue;
    yield [name.length <= nameShownMax ? name : `${name.slice(0, nameShownMax)}…`];
  }
}
