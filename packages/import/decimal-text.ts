/** An integer number of units of 10^-places, and whether the text has no digits beyond them. */
export interface ScaledDecimal {
  readonly value: bigint;
  readonly isExact: boolean;
}

/** The largest power of ten of a readable decimal: far beyond any amount, and a bound on the digits of the result. */
const exponentMax = 400;

/**
 * Reads a decimal as databases print it, such as `12.5`, `-3` or `1.5e-07`, rounded half away from zero. Never passes
 * through a float. Returns `undefined` for any other text, such as `NaN`.
 */
export function scaledDecimal(text: string, places: number): ScaledDecimal | undefined {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i.exec(text.trim());
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts ?? [];
  if (!parts || whole + fraction === '' || Math.abs(Number(power)) > exponentMax) return undefined;
  const digits = BigInt(whole + fraction);
  const shift = Number(power) - fraction.length + places;
  const { value, isExact } = shifted(digits, shift);
  return { value: sign === '-' ? -value : value, isExact };
}

function shifted(digits: bigint, shift: number): ScaledDecimal {
  if (shift >= 0) return { value: digits * 10n ** BigInt(shift), isExact: true };
  const divisor = 10n ** BigInt(-shift);
  const value = (digits + divisor / 2n) / divisor;
  return { value, isExact: value * divisor === digits };
}
