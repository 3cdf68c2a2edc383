/** The price of a token or a tool use in pico-units (1e-12), so that every price per million tokens is an integer. */
export interface Price {
  /** Identifies these prices permanently: a request is charged by the version it began with. */
  readonly version: string;
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly cacheWrite5m: bigint;
  readonly cacheWrite1h: bigint;
  readonly output: bigint;
  /**
   * The price of one use of a tool that the provider runs, by the tool's name. A tool without a price may not be used.
   * Units of endpoints without tokens are listed here too, under their own names.
   */
  readonly toolUses: ToolPrices;
}

/** `free` if the model costs nothing. */
export type ToolPrices = Readonly<Record<string, bigint>> | 'free';
