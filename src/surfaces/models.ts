import type { Model } from '../core/model.ts';
import type { Route } from '../http/route.ts';
import { bearerSecret, callerWith } from './caller.ts';
import type { SurfaceParts } from './conversation.ts';

/** The contract gives every model the same placeholder instead of a release date. */
const createdPlaceholder = 1626777600;

/** `GET /v1/models`: what this key can call on this site; the function that lists is the one that refuses. */
export function models(parts: SurfaceParts): Route {
  return {
    method: 'GET',
    path: '/v1/models',
    handle: async (exchange) => {
      const { catalog } = parts.inference.current();
      const caller = await callerWith(bearerSecret(exchange), parts.keys, catalog.siteFor(exchange.host));
      exchange.json(200, { object: 'list', data: catalog.visible(caller).map(encodeModel), success: true });
    },
  };
}

function encodeModel(model: Model) {
  return {
    id: model.id,
    object: 'model',
    created: createdPlaceholder,
    owned_by: model.ownedBy,
    supported_endpoint_types: model.surfaces,
  };
}
