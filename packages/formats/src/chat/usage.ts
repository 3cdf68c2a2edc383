import type { ServiceLevel } from '../price.ts';

/** Token counts of one answer. `undefined` means not reported; 0 means zero. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly promptTokens: number;
  /** All output tokens, reasoning included. */
  readonly completionTokens: number;
  readonly cachedTokens: number | undefined;
  readonly cacheWrite5mTokens: number | undefined;
  readonly cacheWrite1hTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  readonly promptAudioTokens: number | undefined;
  readonly promptImageTokens: number | undefined;
  readonly completionAudioTokens: number | undefined;
  /** How often the provider ran its own tools, by name, such as `web_search`; also units other than tokens. */
  readonly toolUses?: Readonly<Record<string, number>> | undefined;
  /** The service level at which the provider says it answered. */
  readonly served?: ServiceLevel | undefined;
  readonly source: UsageSource;
  /** The charge as decimal text. Only in the last usage of an answer, and only if the client gets it. */
  readonly cost?: string | undefined;
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
