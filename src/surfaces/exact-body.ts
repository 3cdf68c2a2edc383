import { exactJson, plainJson } from '../core/exact-json.ts';
import type { JsonBody } from '../http/exchange.ts';

/** The body as it goes on to a provider: its whole numbers keep all their digits. */
export function exactBody(body: JsonBody): JsonBody {
  return body.hasLongNumbers === true ? { ...body, value: exactJson(body.text) } : body;
}

/** What it says to whoever looks at its numbers. */
export function plainValue({ value, hasLongNumbers }: JsonBody): unknown {
  return hasLongNumbers === true ? plainJson(value) : value;
}
