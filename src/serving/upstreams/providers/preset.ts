import type { ResolvedQuirks } from 'chat-formats/chat-completions/quirks.ts';

/** The facts about a provider, apart from its address. */
export interface ProviderFacts {
  readonly name: string;
  readonly title: string;
  /** Environment variables for the credential, the usual one first. A provider without any runs on this machine. */
  readonly environment: readonly string[];
  /** The wire format of its API. `by-model`: messages for Claude, chat-completions for other models. */
  readonly wireFormat: 'chat-completions' | 'messages' | 'by-model';
  /** The header for its keys, if it is not the usual one of the format. */
  readonly keyHeader?: string;
  readonly quirks: Partial<ResolvedQuirks>;
  readonly note?: string;
}

export interface Preset extends ProviderFacts {
  readonly baseUrl: string;
  /** How its model list differs from a GET with a bearer token. */
  readonly listing?: Listing;
  /** `false` if a credential in the environment does not enable this preset automatically. */
  readonly isEnabledByKey?: false;
}

interface Listing {
  /** The header for the credential instead of `Authorization`. */
  readonly keyHeader?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The path of the list relative to the base address, if it is not `models`. */
  readonly path?: string;
  /** A prefix of the ids in the list, which requests leave out. */
  readonly idPrefix?: string;
}

export function listingHeaders(
  preset: Pick<Preset, 'listing'> | undefined,
  key: string | undefined,
): Readonly<Record<string, string>> {
  const { keyHeader, headers } = preset?.listing ?? {};
  if (key === undefined) return { ...headers };
  return { ...(keyHeader ? { [keyHeader]: key } : { authorization: `Bearer ${key}` }), ...headers };
}
