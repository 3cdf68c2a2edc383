import type { Caller } from '../core/caller.ts';
import type { Model } from '../core/chat/model.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { agentModels } from './agent-models.ts';
import { bearerSecret, callerOf } from './caller.ts';
import type { SurfaceParts } from './conversation.ts';

/** The contract gives every model the same placeholder instead of a release date. */
const createdPlaceholder = 1626777600;

/**
 * `GET /v1/models` and `GET /v1/models/{id or alias}`: the models that this key can call on this site, on any surface.
 * The list and the access check use the same function.
 */
export function models(parts: SurfaceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/models',
      handle: async (exchange) => {
        const { catalog, caller } = await authenticate(parts, exchange);
        const visible = catalog.visible(caller);
        const list = { object: 'list', data: visible.map(encodeModel), success: true };
        // Codex expects its own list and identifies itself by sending `client_version`.
        const isAgent = exchange.query.has('client_version');
        exchange.json(200, isAgent ? { ...list, models: agentModels(visible) } : list);
      },
    },
    {
      method: 'GET',
      path: '/v1/models/*model',
      handle: async (exchange, { model = '' }) => {
        const { catalog, caller } = await authenticate(parts, exchange);
        exchange.json(200, encodeModel(catalog.require(caller, model)));
      },
    },
  ];
}

async function authenticate(parts: SurfaceParts, exchange: Exchange): Promise<{ catalog: Catalog; caller: Caller }> {
  const { catalog } = parts.inference.current();
  return { catalog, caller: await callerOf(exchange, bearerSecret, { keys: parts.keys, catalog }) };
}

function encodeModel(model: Model) {
  return {
    id: model.id,
    object: 'model',
    created: createdPlaceholder,
    owned_by: model.ownedBy,
    // A model without a conversational surface is listed with its pass-through endpoints.
    supported_endpoint_types: model.surfaces.length > 0 ? model.surfaces : (model.endpoints ?? []),
  };
}
