/** Token counts of one answer. `undefined` means the provider did not say; 0 means zero. */
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
  /** How often the provider ran tools of its own, by their names, such as `web_search`; and units other than tokens. */
  readonly toolUses?: Readonly<Record<string, number>> | undefined;
  readonly source: UsageSource;
}

/** Who counted: the provider, or we because it did not; `estimated` by the length of a text that we could not count. */
export type UsageSource = 'upstream' | 'counted' | 'estimated';

/** Our own counts of some texts, in their order. */
export interface TokenCounts {
  readonly tokens: readonly number[];
  readonly source: 'counted' | 'estimated';
}

/** The details of a usage that says nothing but its sums. */
export const unsaidUsage = {
  cachedTokens: undefined,
  cacheWrite5mTokens: undefined,
  cacheWrite1hTokens: undefined,
  reasoningTokens: undefined,
  promptAudioTokens: undefined,
  promptImageTokens: undefined,
  completionAudioTokens: undefined,
} as const satisfies Partial<Usage>;
