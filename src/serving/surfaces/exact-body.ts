import { exactJson, ordinaryJson } from 'chat-formats/json/exact-json.ts';
import type { JsonBody } from '../http/exchange.ts';

/** The body as it is forwarded to a provider: integers keep all their digits. */
export function exactBody(body: JsonBody): JsonBody {
  return body.hasLongNumbers === true ? { ...body, value: exactJson(body.text) } : body;
}

export function jsonValue({ value, hasLongNumbers }: JsonBody): unknown {
  return hasLongNumbers === true ? ordinaryJson(value) : value;
}
