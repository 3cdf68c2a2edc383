import { GatewayError } from '../../core/gateway-error.ts';

const pageLengthMax = 1000;

/** The page selected by `limit`, `after_id` and `before_id`; by default the first 1,000 entries. */
export function pageOf<Entry extends { readonly id: string }>(entries: readonly Entry[], query: URLSearchParams) {
  const limit = limitOf(query.get('limit'));
  const after = indexOfId(entries, query, 'after_id');
  const before = indexOfId(entries, query, 'before_id');
  const rest = entries.slice(after === undefined ? 0 : after + 1, before);
  // With `before_id`, the page ends right before that entry.
  const data = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return {
    data,
    has_more: data.length < rest.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function limitOf(text: string | null): number {
  if (text === null) return pageLengthMax;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= pageLengthMax) return limit;
  throw new GatewayError('invalid-request', { detail: `limit must be an integer from 1 to ${pageLengthMax}.` });
}

function indexOfId(entries: readonly { readonly id: string }[], query: URLSearchParams, name: string) {
  const id = query.get(name);
  if (id === null) return undefined;
  const index = entries.findIndex((entry) => entry.id === id);
  if (index >= 0) return index;
  throw new GatewayError('invalid-request', { detail: `${name} must be the id of a listed model.` });
}
