import type { Caller } from '../../core/caller.ts';
import type { Model } from '../../core/chat/model.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { apiKeySecret, callerOf } from '../caller.ts';
import type { SurfaceParts } from '../conversation.ts';
import { pageOf } from './page.ts';

/** The contract's placeholder for the creation date of every model. */
const createdAt = '2021-07-20T10:40:00Z';

/** `GET {messages_prefix}/v1/models` and `/{model}`: the models that this key can call on this surface. */
export function messagesModels(parts: SurfaceParts, prefix: string): readonly Route[] {
  const authenticate = (exchange: Exchange): Promise<Caller> =>
    callerOf(exchange, apiKeySecret, { keys: parts.keys, catalog: parts.inference.current().catalog });
  return [
    {
      method: 'GET',
      path: `${prefix}/v1/models`,
      handle: async (exchange) => {
        const caller = await authenticate(exchange);
        const visible = parts.inference.current().catalog.visible(caller);
        const models = visible.filter(({ surfaces }) => surfaces.includes('anthropic'));
        exchange.json(200, pageOf(models.map(encodeModel), exchange.query));
      },
    },
    {
      method: 'GET',
      path: `${prefix}/v1/models/*model`,
      handle: async (exchange, { model = '' }) => {
        const caller = await authenticate(exchange);
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
