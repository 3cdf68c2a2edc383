import type { Price, ServiceLevel } from '../price.ts';

/** Token counts of one answer. `undefined` means not reported; 0 means zero. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly promptTokens: number;
  /** All output tokens, reasoning included. */
  readonly completionTokens: number;
  readonly cachedTokens: number | undefined;
  readonly cacheWrite5mTokens: number | undefined;
  readonly cacheWrite30mTokens?: number | undefined;
  readonly cacheWrite1hTokens: number | undefined;
  readonly cacheWrite12hTokens?: number | undefined;
  readonly reasoningTokens: number | undefined;
  readonly promptAudioTokens: number | undefined;
  readonly promptImageTokens: number | undefined;
  readonly completionAudioTokens: number | undefined;
  /** How often the provider ran its own tools, by name, such as `web_search`; also units other than tokens. */
  readonly toolUses?: Readonly<Record<string, number>> | undefined;
  /** The service level at which the provider says it answered. */
  readonly served?: ServiceLevel | undefined;
  /**
   * The calls that the provider made for this answer, if there were several: a summary of the conversation, advice of
   * another model, an attempt that another model replaced. The provider bills these, and not the counts above.
   */
  readonly parts?: readonly UsagePart[] | undefined;
  /** Ids of things that the provider stores for later requests: sandboxes and their files. */
  readonly stored?: readonly string[] | undefined;
  /** When the gateway sent the request, in milliseconds since 1970: some prices depend on the time of the day. */
  readonly sentAt?: number | undefined;
  readonly source: UsageSource;
  /** The charge as decimal text. Only in the last usage of an answer, and only if the client gets it. */
  readonly cost?: string | undefined;
}

/** One call of several that a provider made for an answer. */
export interface UsagePart extends Omit<Usage, 'parts' | 'toolUses' | 'stored' | 'source' | 'cost'> {
  /** The kind that the provider reports, such as `message` or `compaction`. */
  readonly kind: string;
  /** The provider's name of the model that it called, if it reports one. */
  readonly model: string | undefined;
  /** The models that this may be; the dearest counts. `undefined`: the requested one. Set by the gateway. */
  readonly of?: readonly PartModel[] | undefined;
}

/** A model of the catalog, at the price of the caller. */
export interface PartModel {
  readonly id: string;
  readonly price: Price;
  /** The provider's price, if it is known. */
  readonly cost?: Price | undefined;
}

/** `upstream`: by the provider. `counted`: by the gateway. `estimated`: from a text that could not be counted. */
export type UsageSource = 'upstream' | 'counted' | 'estimated';

/** The gateway's token counts of some texts, in their order. */
export interface TokenCounts {
  readonly tokens: readonly number[];
  readonly source: 'counted' | 'estimated';
}

/** The unreported details of a usage that has only totals. */
export const unreportedUsage = {
  cachedTokens: undefined,
  cacheWrite5mTokens: undefined,
  cacheWrite1hTokens: undefined,
  reasoningTokens: undefined,
  promptAudioTokens: undefined,
  promptImageTokens: undefined,
  completionAudioTokens: undefined,
} as const satisfies Partial<Usage>;

/** Fields in the usage of some providers that show their own charge. Clients must not see the operator's cost. */
export const providerCostFields: ReadonlySet<string> = new Set(['cost', 'cost_details', 'is_byok']);
