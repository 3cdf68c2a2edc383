import { GatewayError } from '../../core/gateway-error.ts';
import type { WireObject } from '../../dialects/wire-value.ts';

const limitMax = 100;
const limitUnlessSaid = 20;

/** A page of the input items of a response, newest first by default. */
export function inputPage(items: readonly WireObject[], query: URLSearchParams): WireObject {
  const limit = limitIn(query);
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalid('order must be asc or desc.');
  const sorted = order === 'asc' ? items : items.toReversed();
  const after = query.get('after');
  const start = after === null ? 0 : sorted.findIndex((item) => item['id'] === after) + 1;
  if (after !== null && start === 0) throw invalid('after must be the id of an item in this list.');
  const data = sorted.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: start + limit < sorted.length,
  };
}

function limitIn(query: URLSearchParams): number {
  const text = query.get('limit');
  if (text === null) return limitUnlessSaid;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax) throw invalid(`limit must be an integer between 1 and ${limitMax}.`);
  return limit;
}

function invalid(detail: string): GatewayError {
  return new GatewayError('invalid-request', { detail });
}
