import type { Exchange } from '../http/exchange.ts';

export type AgentTest = (exchange: Pick<Exchange, 'header'>) => boolean;

/** Headers with the name of the client. Some agents leave the User-Agent to the library they use. */
export const agentHeaders = ['user-agent', 'x-title', 'http-referer'];

/** Matches names at the start of a word, in any case. Create it once per list: it compiles a regular expression. */
export function codingAgents(names: readonly string[]): AgentTest {
  if (names.length === 0) return () => false;
  const named = new RegExp(`(?<![a-z0-9])(?:${names.map(literally).join('|')})`, 'i');
  return (exchange) => agentHeaders.some((header) => named.test(exchange.header(header) ?? ''));
}

function literally(text: string): string {
  return text.replace(/[^\w\s]/g, '\\$&');
}
