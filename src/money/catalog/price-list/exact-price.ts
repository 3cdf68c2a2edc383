/** A price of a million tokens in millionths of the currency, as the catalog stores it. */
export interface ExactPrice {
  readonly micro: bigint;
  /** Whether the literal has more digits than the catalog stores. The price is rounded up then. */
  readonly isRounded: boolean;
}

export const pricePlaces = 6;

/** Longer literals and larger exponents are not prices. The limits also bound the work. */
const charactersMax = 64;
const exponentMax = 60;

/**
 * Reads a number as it is written in JSON, such as `2.5e-06`. `shift` is the power of ten that makes it a price of a
 * million tokens: 6 for the price of a token. No step uses a float. `undefined`: the text is not a usable number.
 */
export function exactPrice(literal: string, shift: number): ExactPrice | undefined {
  if (literal.length > charactersMax) return undefined;
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const exponent = Number(power);
  if (Math.abs(exponent) > exponentMax) return undefined;
  const digits = BigInt(sign + whole + fraction);
  const missing = exponent + shift + pricePlaces - fraction.length;
  if (missing >= 0) return { micro: digits * 10n ** BigInt(missing), isRounded: false };
  const divisor = 10n ** BigInt(-missing);
  const isRounded = digits % divisor !== 0n;
  return { micro: digits / divisor + (isRounded && digits > 0n ? 1n : 0n), isRounded };
}
