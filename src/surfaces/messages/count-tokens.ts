import { decodeCountTokensRequest } from '../../dialects/messages/request/decode-request.ts';
import type { Route } from '../../http/route.ts';
import { countPrompt } from '../../inference/tokens/count-prompt.ts';
import { apiKeySecret, callerOf } from '../caller.ts';
import type { SurfaceParts } from '../conversation.ts';
import { jsonValue } from '../exact-body.ts';
import { messagesSource } from './source.ts';

/** `POST {messages_prefix}/v1/messages/count_tokens`: counts the tokens of a prompt, free of charge. */
export function countTokens(parts: SurfaceParts, prefix: string): Route {
  return {
    method: 'POST',
    path: `${prefix}/v1/messages/count_tokens`,
    handle: async (exchange) => {
      const { catalog } = parts.inference.current();
      const caller = await callerOf(exchange, apiKeySecret, { keys: parts.keys, catalog });
      const body = await exchange.readJson();
      const request = decodeCountTokensRequest(jsonValue(body), messagesSource(body, exchange));
      const input = { caller, surface: 'anthropic' as const, request, signal: exchange.gone };
      exchange.json(200, { input_tokens: await countPrompt(parts.inference, input) });
    },
  };
}
