/** What one token, or one use of a tool, costs in pico-units: a thousandth of a nano-unit, so that every price per million is a whole number. */
export interface Price {
  /** Names these figures for good: a request is charged by the version it began with. */
  readonly version: string;
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly cacheWrite5m: bigint;
  readonly cacheWrite1h: bigint;
  readonly output: bigint;
  /**
   * What one use of a tool costs that the provider runs itself, by the tool's name; who is not listed may not be used.
   * Units of endpoints that count no tokens stand here too, under names of their own.
   */
  readonly toolUses: ToolPrices;
}

/** `free` where nothing costs anything. */
export type ToolPrices = Readonly<Record<string, bigint>> | 'free';
