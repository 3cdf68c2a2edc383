/** Money is an integer number of nano-units (1e-9) of the gateway's currency, never a float. */
export type Nano = bigint;

const nanoPlaces = 9;

/** Parses a decimal such as `5` or `0.25`. Throws a RangeError beyond nine places. */
export function nanoFrom(decimal: string): Nano {
  return scaled(decimal, nanoPlaces);
}

/** A decimal as an integer number of units of 10^-places. */
export function scaled(decimal: string, places: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === '' || fraction.length > places)
    throw new RangeError(`${decimal} is not a decimal with ${places} places`);
  const value = BigInt(whole + fraction.padEnd(places, '0'));
  return sign === '' ? value : -value;
}

/** A decimal with at least two places and no unnecessary zeros, as people and the balance endpoint write it. */
export function decimalText(amount: Nano): string {
  return unitsText(amount, nanoPlaces);
}

/** The same for units of 10^-places. */
export function unitsText(amount: bigint, places: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, -places);
  const fraction = digits.slice(-places).replace(/0+$/, '').padEnd(2, '0');
  return `${amount < 0n ? '-' : ''}${whole}.${fraction}`;
}

/** Decimal places of currencies whose smallest unit is not a hundredth. */
const currencyPlaces: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3])),
};

/** The smallest amount of the currency that can be paid, such as a cent. */
export function minorUnit(currency: string): Nano {
  return 10n ** BigInt(nanoPlaces - (currencyPlaces[currency] ?? 2));
}
