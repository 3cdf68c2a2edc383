import type { Nano } from '../core/money.ts';

/** Decimal places of currencies whose smallest unit is not a hundredth. */
const places: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3])),
};

const nanoPlaces = 9;

/** An amount in minor units, as payment providers count; `undefined` if it is not a whole number of them. */
export function minorUnits(amount: Nano, currency: string): number | undefined {
  const unit = unitOf(currency);
  return amount % unit === 0n ? Number(amount / unit) : undefined;
}

export function fromMinorUnits(units: number, currency: string): Nano {
  return BigInt(units) * unitOf(currency);
}

function unitOf(currency: string): Nano {
  return 10n ** BigInt(nanoPlaces - (places[currency] ?? 2));
}
