import { minorUnit, type Nano, scaled } from '../../core/money.ts';

const ratePlaces = 2;
/** 100 percent, in units of the rate. */
const whole = 10_000n;

/**
 * The tax that an amount includes, rounded half up to the minor unit of the currency. `rate` is decimal text in percent.
 * A negative amount includes the negative tax, so that a full refund cancels the tax of its payment.
 */
export function includedTax(amount: Nano, rate: string, currency: string): Nano {
  if (amount < 0n) return -includedTax(-amount, rate, currency);
  const units = scaled(rate, ratePlaces);
  const unit = minorUnit(currency);
  const divisor = (whole + units) * unit;
  return ((2n * amount * units + divisor) / (2n * divisor)) * unit;
}
