import type { Model } from 'chat-formats/chat/model.ts';
import type { Route } from '../../http/route.ts';
import { apiKeySecret, callerOf } from '../caller.ts';
import type { SurfaceParts } from '../conversation.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';

/** The contract's placeholder for the creation date of every model. */
const createdAt = '2021-07-20T10:40:00Z';

/** `GET {messages_prefix}/v1/models` and `/{model}`: the models that this key can call on this surface. */
export function messagesModels(parts: SurfaceParts, prefix: string): readonly Route[] {
  return [
    {
      method: 'GET',
      path: `${prefix}/v1/models`,
      handle: async (exchange) => {
        const caller = await callerOf(parts, exchange, apiKeySecret);
        const visible = parts.inference.current().catalog.visible(caller);
        const models = visible.filter(({ surfaces }) => surfaces.includes('anthropic'));
        exchange.json(200, pageOf(models.map(encodeModel), exchange.query));
      },
    },
    {
      method: 'GET',
      path: `${prefix}/v1/models/*model`,
      handle: async (exchange, { model = '' }) => {
        const caller = await callerOf(parts, exchange, apiKeySecret);
        exchange.json(200, encodeModel(parts.inference.current().catalog.require(caller, model, 'anthropic')));
      },
    },
  ];
}

/** All fields that client libraries of the format read; null if the catalog has no value. */
function encodeModel({ id, contextWindow, maxOutputTokens }: Model) {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: createdAt,
    max_input_tokens: contextWindow ?? null,
    max_tokens: maxOutputTokens ?? null,
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
}

const pageLengthMax = 1000;

/** The page selected by `limit`, `after_id` and `before_id`; by default the first 1,000 entries. */
function pageOf<Entry extends { readonly id: string }>(entries: readonly Entry[], query: URLSearchParams) {
  const limit = limitOf(query.get('limit'));
  const after = indexOfId(entries, query, 'after_id');
  const before = indexOfId(entries, query, 'before_id');
  const rest = entries.slice(after === undefined ? 0 : after + 1, before);
  // With `before_id`, the page ends right before that entry.
  const data = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return { data, has_more: data.length < rest.length, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
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
