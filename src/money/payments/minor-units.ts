import { minorUnit, type Nano } from '../../core/money.ts';

/** An amount in minor units, as payment providers count; `undefined` if it is not a whole number of them. */
export function minorUnits(amount: Nano, currency: string): number | undefined {
  const unit = minorUnit(currency);
  return amount % unit === 0n ? Number(amount / unit) : undefined;
}

export function fromMinorUnits(units: number, currency: string): Nano {
  return BigInt(units) * minorUnit(currency);
}
