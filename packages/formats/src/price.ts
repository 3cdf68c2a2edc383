/** Prices of one token of each kind, in pico-units (1e-12), so that every price per million tokens is an integer. */
export interface TokenPrices {
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly cacheWrite5m: bigint;
  readonly cacheWrite30m: bigint;
  readonly cacheWrite1h: bigint;
  readonly cacheWrite12h: bigint;
  readonly inputAudio: bigint;
  readonly inputImage: bigint;
  readonly output: bigint;
  readonly reasoning: bigint;
  readonly outputAudio: bigint;
}

export const inputKinds = [
  'input',
  'cachedInput',
  'cacheWrite5m',
  'cacheWrite30m',
  'cacheWrite1h',
  'cacheWrite12h',
  'inputAudio',
  'inputImage',
] as const satisfies readonly (keyof TokenPrices)[];

export const tokenKinds = [...inputKinds, 'output', 'reasoning', 'outputAudio'] as const;

type WritePrices = Pick<TokenPrices, 'cacheWrite5m' | 'cacheWrite30m' | 'cacheWrite1h' | 'cacheWrite12h'>;

/**
 * The prices of cache writes, if some have none of their own: 5 and 30 minutes have each other's, so have 1 and 12 hours,
 * or else the price of `input`. Writes of 30 minutes and 12 hours once counted as writes of 5 minutes, so their prices
 * are at least that.
 */
export function writePrices(input: bigint, own: Partial<WritePrices>): WritePrices {
  const cacheWrite5m = own.cacheWrite5m ?? own.cacheWrite30m ?? input;
  const cacheWrite1h = own.cacheWrite1h ?? own.cacheWrite12h ?? input;
  const longest = [cacheWrite5m, cacheWrite1h].reduce((one, other) => (one > other ? one : other), input);
  return {
    cacheWrite5m,
    cacheWrite30m: own.cacheWrite30m ?? cacheWrite5m,
    cacheWrite1h,
    cacheWrite12h: own.cacheWrite12h ?? longest,
  };
}

/** The price of a model. Without tiers, it is the same for every request. */
export interface Price extends TokenPrices {
  /** Identifies these prices permanently: a request is charged by the version it began with. */
  readonly version: string;
  /**
   * The price of one use of a tool that the provider runs, by the tool's name. A tool without a price may not be used.
   * Units other than tokens are listed here too, under their own names.
   */
  readonly toolUses: ToolPrices;
  readonly tiers: readonly PriceTier[];
  /** The time zone of the tiers with a window of the week; undefined if there are none. */
  readonly timeZone?: string | undefined;
  /** The factor of the account's package, in millionths. It multiplies the whole cost. */
  readonly factor: bigint;
}

/** `free` if the model costs nothing. */
export type ToolPrices = Readonly<Record<string, bigint>> | 'free';

/**
 * Other prices of tokens under a condition. The first tier with `prices` whose condition holds replaces the prices. The
 * factors of all tiers whose condition holds multiply them.
 */
export type PriceTier = { readonly when: TierCondition } & (
  | { readonly prices: TokenPrices; readonly factor?: undefined }
  | { readonly factor: bigint; readonly prices?: undefined }
);

/** Holds if all its parts hold. */
export interface TierCondition extends ServiceLevel {
  /** Holds for a prompt of more tokens, cached ones included. */
  readonly promptOver?: number | undefined;
  /** A window of the week: the days on which it begins, such as `mon`, its first minute, and the one after its last. */
  readonly days?: readonly Weekday[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** Whether a tier holds only at some times of the week. */
export function isWindow({ days, from, to }: TierCondition): boolean {
  return (days ?? from ?? to) !== undefined;
}

/** The options with which a client selects a price at the provider. `undefined`: not requested, or not reported. */
export interface ServiceLevel {
  readonly serviceTier?: string | undefined;
  readonly speed?: string | undefined;
  readonly region?: string | undefined;
}

/** The same names in requests of every format. */
export const levelNames = {
  serviceTier: 'service_tier',
  speed: 'speed',
  region: 'inference_geo',
} as const satisfies Record<keyof ServiceLevel, string>;

export const levelFields = ['serviceTier', 'speed', 'region'] as const satisfies readonly (keyof ServiceLevel)[];

/** A factor of 1. */
export const factorOne = 1_000_000n;
