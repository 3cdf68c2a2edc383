import type { Wire, WireFormat } from './chat/chat-request.ts';
import type { Usage } from './chat/usage.ts';
import type { CountReader } from './token-count.ts';
import { isObject, objectOf, type WireObject, wordSet } from './wire-value.ts';

/** How long a provider keeps what it wrote to its prompt cache, the shortest first. */
export type CacheLifetime = '5m' | '30m' | '1h' | '12h';

const lifetimes: readonly CacheLifetime[] = ['5m', '30m', '1h', '12h'];

type CacheWrites = Pick<
  Usage,
  'cacheWrite5mTokens' | 'cacheWrite30mTokens' | 'cacheWrite1hTokens' | 'cacheWrite12hTokens'
>;

/** The counts of writes that all have the same lifetime. */
export function writesOf(lifetime: CacheLifetime, tokens: number | undefined): CacheWrites {
  return {
    cacheWrite5mTokens: lifetime === '5m' ? tokens : undefined,
    cacheWrite30mTokens: lifetime === '30m' ? tokens : undefined,
    cacheWrite1hTokens: lifetime === '1h' ? tokens : undefined,
    cacheWrite12hTokens: lifetime === '12h' ? tokens : undefined,
  };
}

/** Writes of up to 30 minutes, and longer ones: formats and records with two counts have these. */
export function shortAndLong(usage: Pick<Usage, keyof CacheWrites>): readonly [number | undefined, number | undefined] {
  const { cacheWrite5mTokens, cacheWrite30mTokens, cacheWrite1hTokens, cacheWrite12hTokens } = usage;
  return [sum(cacheWrite5mTokens, cacheWrite30mTokens), sum(cacheWrite1hTokens, cacheWrite12hTokens)];
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

/**
 * The writes in the usage details of an OpenAI format, at most `limit`. Writes that the provider does not split have the
 * lifetime `unsplit`, which is asked for only then.
 */
export function decodeWriteDetails(
  details: WireObject,
  limit: number,
  read: CountReader,
  unsplit: () => CacheLifetime = () => '30m',
): CacheWrites {
  const total = read('cache_write_tokens', details.cache_write_tokens, limit);
  const split = objectOf(details.cache_write_tokens_details) ?? {};
  const all = total ?? limit;
  const long = read('ttl_12h_tokens', split.ttl_12h_tokens, all);
  const short = read('ttl_30m_tokens', split.ttl_30m_tokens, all - (long ?? 0));
  const rest = total === undefined ? 0 : total - (long ?? 0) - (short ?? 0);
  if (long === undefined && short === undefined) return writesOf(total ? unsplit() : '30m', total);
  const others = rest > 0 ? writesOf(unsplit(), rest) : writesOf('30m', 0);
  return {
    ...others,
    cacheWrite30mTokens: (short ?? 0) + (others.cacheWrite30mTokens ?? 0),
    cacheWrite12hTokens: (long ?? 0) + (others.cacheWrite12hTokens ?? 0),
  };
}

/** The same split as a provider reports it; `undefined` if it reported none. */
export function encodeWriteDetails({ cacheWrite30mTokens, cacheWrite12hTokens }: CacheWrites): WireObject | undefined {
  if (cacheWrite30mTokens === undefined || cacheWrite12hTokens === undefined) return undefined;
  return { ttl_30m_tokens: cacheWrite30mTokens, ttl_12h_tokens: cacheWrite12hTokens };
}

/** Fields with a lifetime, which providers of the OpenAI formats know. The messages format has only the first. */
const fields = wordSet('cache_control prompt_cache_options prompt_cache_breakpoint');

/** The members of a body that have such fields at any depth. */
const searched = wordSet('messages system input tools');

/** Members inside them that hold data of the client or a JSON Schema: their names are not fields of the format. */
const dataNames = wordSet('input arguments parameters input_schema schema metadata');

/**
 * The longest lifetime for which a request asked a provider of this format. An unknown one counts as the longest. The
 * whole body is searched, so it is called only for usage that does not name the lifetime.
 */
export function requestedLifetime({ format: own, body }: Wire, format: WireFormat): CacheLifetime {
  const isMessages = format === 'messages';
  let longest = isMessages ? 0 : 1;
  const search = (value: unknown, isBody: boolean): void => {
    if (Array.isArray(value)) for (const each of value) search(each, false);
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const isField = isMessages ? name === 'cache_control' : fields.has(name);
      if (isField) longest = Math.max(longest, rankOf(objectOf(member)?.ttl));
      else if (isBody ? searched.has(name) : !dataNames.has(name)) search(member, false);
    }
  };
  // Other formats are translated: of their markers, only those for the messages format are.
  if (isMessages || own === format) search(body, true);
  return lifetimes[longest] ?? '12h';
}

function rankOf(ttl: unknown): number {
  if (ttl === undefined || ttl === null) return 0;
  const rank = lifetimes.findIndex((each) => each === ttl);
  return rank < 0 ? lifetimes.length - 1 : rank;
}
