import type { FieldPath } from './invalid-request.ts';
import type { WireObject } from './wire-value.ts';

/** A longer name is no name but a value, and is not repeated. */
const nameShownMax = 64;

/** The top-level fields that say something and stand in none of the given lists. `null` and an empty list say nothing. */
export function* fieldsOutside(body: WireObject, lists: readonly ReadonlySet<string>[]): Generator<FieldPath> {
  for (const [name, value] of Object.entries(body)) {
    const saysNothing = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    if (saysNothing || lists.some((list) => list.has(name))) continue;
    yield [name.length <= nameShownMax ? name : `${name.slice(0, nameShownMax)}…`];
  }
}
