import type { MessagesSource } from '../../dialects/messages/decode-request.ts';
import type { Exchange, JsonBody } from '../../http/exchange.ts';

/** The headers that belong to the format: a provider that speaks it gets them as they came. */
const formatHeaders = ['anthropic-version', 'anthropic-beta'];

/** What a provider of the same format needs beside the parsed body. */
export function messagesSource({ value, text, bytes }: JsonBody, exchange: Exchange): MessagesSource {
  const headers = formatHeaders.flatMap((name) => {
    const value = exchange.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { body: value, text, bytes, headers: Object.fromEntries(headers) };
}
