import type { ResolvedQuirks } from '../dialects/chat-completions/quirks.ts';

/** What is known about a provider before anyone configures it. */
export interface Preset {
  /** What a configuration file writes as `kind`. */
  readonly name: string;
  readonly title: string;
  readonly baseUrl: string;
  /** Environment variables that may hold the credential, the usual one first. A provider without one runs on this machine. */
  readonly environment: readonly string[];
  /** What it is spoken to in; `own` is a protocol of its own, through the package that knows it. */
  readonly wireFormat: 'chat-completions' | 'messages' | 'own';
  /** Where it departs from the plain format. */
  readonly quirks: Partial<ResolvedQuirks>;
  /** Where listing its models departs from a plain GET with a bearer token. */
  readonly listing?: Listing;
  /** Whether its credential in the environment brings it into use by itself; it does unless said. */
  readonly isFoundByKey?: false;
  /** What an operator should know. */
  readonly note?: string;
}

export interface Listing {
  /** The header that carries the credential in place of `Authorization`. */
  readonly keyHeader?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The list's address relative to the base address, where it is not `models`. */
  readonly path?: string;
  /** What the list puts before each name and requests do without. */
  readonly idPrefix?: string;
}

/** The headers that a list of models is asked for with. */
export function listingHeaders(
  preset: Pick<Preset, 'listing'> | undefined,
  key: string | undefined,
): Readonly<Record<string, string>> {
  const { keyHeader, headers } = preset?.listing ?? {};
  if (key === undefined) return { ...headers };
  return { ...(keyHeader ? { [keyHeader]: key } : { authorization: `Bearer ${key}` }), ...headers };
}
