import { isObject } from '../../dialects/wire-value.ts';
import type { Route } from '../../http/route.ts';
import { countPrompt } from '../../inference/tokens/count-prompt.ts';
import { bearerSecret, callerOf } from '../caller.ts';
import { ResponseConversation } from './response-conversation.ts';
import type { ResponsesParts } from './responses.ts';

/** `POST /v1/responses/input_tokens`: counts the input tokens of a request, free of charge. */
export function inputTokens(parts: ResponsesParts): Route {
  const { clock, inference, storage } = parts;
  const catalog = () => inference.current().catalog;
  return {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    handle: async (exchange) => {
      const caller = await callerOf(exchange, bearerSecret, { keys: parts.keys, catalog: catalog() });
      const body = await exchange.readJson({ party: caller.key.accountId });
      const value = isObject(body.value) ? { ...body.value, store: false } : body.value;
      const conversation = new ResponseConversation({ clock, storage, catalog });
      const request = conversation.decode(await conversation.resolve({ ...body, value }, caller));
      const input = { caller, surface: conversation.surface, request, signal: exchange.gone } as const;
      const count = await countPrompt(inference, input);
      exchange.json(200, { object: 'response.input_tokens', input_tokens: count });
    },
  };
}
