import { hasBackslashInName } from './safe-json.ts';

/** Parses JSON that the gateway wrote itself. Its names came through `foreign-json`, and this check is the second lock. */
export function ownJson(text: string): unknown {
  if (hasBackslashInName(text)) throw new Error('JSON of the gateway has a member name with a backslash');
  return JSON.parse(text);
}
