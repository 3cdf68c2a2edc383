/** Money is whole nano-units of the gateway's currency: a billionth each, never a float. */
export type Nano = bigint;

const nanoPlaces = 9;

/** Reads a decimal such as `5` or `0.25`; more than nine places cannot be said. */
export function nanoFrom(decimal: string): Nano {
  return scaled(decimal, nanoPlaces);
}

/** A decimal as a whole number of units that many places below one. */
export function scaled(decimal: string, places: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === '' || fraction.length > places)
    throw new RangeError(`${decimal} is not a decimal with ${places} places`);
  const value = BigInt(whole + fraction.padEnd(places, '0'));
  return sign === '' ? value : -value;
}

/** As people and the balance endpoint write it: at least two places, and no more than are needed. */
export function decimalText(amount: Nano): string {
  return unitsText(amount, nanoPlaces);
}

/** The same for whole units that many places below one. */
export function unitsText(amount: bigint, places: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, -places);
  const fraction = digits.slice(-places).replace(/0+$/, '').padEnd(2, '0');
  return `${amount < 0n ? '-' : ''}${whole}.${fraction}`;
}
