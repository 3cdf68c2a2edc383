import type { Exchange } from '../http/exchange.ts';

/** Whether a request comes from a coding agent, by how it calls itself. */
export type AgentTest = (exchange: Pick<Exchange, 'header'>) => boolean;

/** Where programs say who they are; several leave the first to the library they are built upon. */
const signatures = ['user-agent', 'x-title', 'http-referer'];

/** Looks for names at the beginning of a word, in any case. To be made once for a list: a request costs a look-up. */
export function codingAgents(names: readonly string[]): AgentTest {
  if (names.length === 0) return () => false;
  const named = new RegExp(`(?<![a-z0-9])(?:${names.map(literally).join('|')})`, 'i');
  return (exchange) => signatures.some((header) => named.test(exchange.header(header) ?? ''));
}

function literally(text: string): string {
  return text.replace(/[^\w\s]/g, '\\$&');
}
