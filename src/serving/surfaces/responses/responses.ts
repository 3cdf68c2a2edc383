import type { Route } from '../../http/route.ts';
import { converse, type SurfaceParts } from '../conversation.ts';
import { ResponseConversation } from './response-conversation.ts';
import type { ResponseStorage } from './sealed-responses.ts';
import type { BackgroundResponses } from './background/background-responses.ts';
import type { InFlightResponses } from './in-flight-responses.ts';
import { HttpFault } from '../../http/fault.ts';
import { isObject } from 'chat-formats/wire-value.ts';
import { countPrompt } from '../../inference/tokens/count-prompt.ts';
import { bearerSecret, callerOf } from '../caller.ts';

export interface ResponsesParts extends SurfaceParts {
  readonly storage: ResponseStorage;
  readonly inFlight?: InFlightResponses | undefined;
  readonly background?: BackgroundResponses | undefined;
}

/** `POST /v1/responses`: one body or a stream, as `stream` asks. */
export function responses(parts: ResponsesParts): Route {
  return {
    method: 'POST',
    takesSimpleRequests: true,
    path: '/v1/responses',
    handle: (exchange) => {
      const conversation = new ResponseConversation(parts);
      return converse(parts, conversation, exchange).finally(() => conversation.over());
    },
  };
}

/** `GET /v1/responses`: rejects a WebSocket upgrade with the status that makes clients fall back immediately. */
export const noWebSocket: Route = {
  method: 'GET',
  path: '/v1/responses',
  handle: (exchange) => {
    const isUpgrade = exchange.header('upgrade')?.toLowerCase() === 'websocket';
    if (isUpgrade) throw new HttpFault('upgrade-refused', undefined, ['upgrade', 'HTTP/1.1']);
    throw new HttpFault('method-not-allowed', 'Use POST for this path.', ['allow', 'POST, OPTIONS']);
  },
};

/** `POST /v1/responses/input_tokens`: counts the input tokens of a request, free of charge. */
export function inputTokens(parts: ResponsesParts): Route {
  return {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    handle: async (exchange) => {
      const caller = await callerOf(parts, exchange, bearerSecret);
      const body = await exchange.readJson({ party: caller.key.accountId });
      const value = isObject(body.value) ? { ...body.value, store: false } : body.value;
      const conversation = new ResponseConversation(parts);
      const request = conversation.decode(await conversation.resolve({ ...body, value }, caller));
      const input = { caller, surface: conversation.surface, request, signal: exchange.gone } as const;
      const count = await countPrompt(parts.inference, input);
      exchange.json(200, { object: 'response.input_tokens', input_tokens: count });
    },
  };
}
