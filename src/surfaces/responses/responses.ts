import type { Route } from '../../http/route.ts';
import { converse, type SurfaceParts } from '../conversation.ts';
import { ResponseConversation } from './response-conversation.ts';
import { keepsNothing, type ResponseKeeping } from './response-keeping.ts';

export interface ResponsesParts extends SurfaceParts {
  /** Who keeps responses; without it nothing is kept. */
  readonly keeping?: ResponseKeeping | undefined;
}

/** `POST /v1/responses`: streams or answers whole, as the request says. */
export function responses(parts: ResponsesParts): Route {
  const { clock, inference, keeping = keepsNothing } = parts;
  const catalog = () => inference.current().catalog;
  return {
    method: 'POST',
    plain: true,
    path: '/v1/responses',
    handle: (exchange) => converse(parts, new ResponseConversation({ clock, keeping, catalog }), exchange),
  };
}
