import type { MessagesSource } from '../../dialects/messages/request/decode-request.ts';
import type { Exchange, JsonBody } from '../../http/exchange.ts';

/** Headers of the format. A provider of the same format receives them unchanged. */
const formatHeaders = ['anthropic-version', 'anthropic-beta'];

/** The data that a provider of the same format needs in addition to the parsed body. */
export function messagesSource({ value, text, bytes }: JsonBody, exchange: Exchange): MessagesSource {
  const headers = formatHeaders.flatMap((name) => {
    const value = exchange.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { body: value, text, bytes, headers: Object.fromEntries(headers) };
}
