/** Times of exports: a day, a time with or without zone (then UTC), or Unix seconds or milliseconds. */
const dayForm = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/;

/** The UTC day of a cell, such as 2026-11-01; `undefined` if it has none. */
export function dayIn(cell: string): string | undefined {
  if (/^\d{10}$|^\d{13}$/.test(cell)) return dayText(Number(cell) * (cell.length === 10 ? 1000 : 1));
  const [, day, time, zone = 'Z'] = dayForm.exec(cell) ?? [];
  // A day such as 2026-02-30 would become one in March.
  if (day === undefined || dayText(Date.parse(`${day}T00:00Z`)) !== day) return undefined;
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  return dayText(Date.parse(time === undefined ? `${day}T00:00Z` : `${day}T${time}${offset}`));
}

/** Whether a time is the beginning of a day that is not a UTC day, such as 2026-11-01T00:00:00+08:00. */
export function isMidnightElsewhere(cell: string): boolean {
  return /[T ]00:00(?::00(?:\.0+)?)? ?[+-](?!00:?00)\d{2}:?\d{2}$/.test(cell);
}

function dayText(at: number): string | undefined {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(0, 10) : undefined;
}

/** An exact decimal: `digits` times 10 to the power of minus `places`. */
interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

/** More digits than any amount of money has, and few enough to compute with. */
const exponentMax = 30;

/**
 * The number in a cell, such as `1234.5`, `$1,234.50`, `1.2e-05` or, with a decimal comma, `1.234,50`; `undefined` if
 * it is none, or if it is not clear which one.
 */
function decimalIn(cell: string, hasDecimalComma: boolean): Decimal | undefined {
  const bare = cell.replace(/^(-?)\s*(?:[A-Z]{3}|[$€£¥])\s*/, '$1').replace(/\s*(?:[A-Z]{3}|[$€£¥])$/, '');
  const plain = hasDecimalComma && bare.includes(',') ? withPoint(bare, ',', '.') : withPoint(bare, '.', ',');
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^([+-]?)(\d{1,30})(?:\.(\d{0,60}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(plain ?? '') ?? [];
  if (whole === undefined || Math.abs(Number(exponent)) > exponentMax) return undefined;
  const value = BigInt(whole + fraction);
  const places = fraction.length - Number(exponent);
  const digits = sign === '-' ? -value : value;
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

/** Removes separators of thousands, if they are where they belong. */
function withPoint(text: string, point: '.' | ',', separator: '.' | ','): string | undefined {
  const [whole = '', ...fraction] = text.split(point);
  if (fraction.length > 1 || fraction[0]?.includes(separator)) return undefined;
  if (
    whole.includes(separator) &&
    !(separator === ',' ? /^[+-]?\d{1,3}(,\d{3})+$/ : /^[+-]?\d{1,3}(\.\d{3})+$/).test(whole)
  )
    return undefined;
  return [whole.replaceAll(separator, ''), ...fraction].join('.');
}

/** A count of tokens. */
export function countIn(cell: string, hasDecimalComma: boolean): bigint | undefined {
  const decimal = decimalIn(cell, hasDecimalComma);
  if (!decimal) return undefined;
  const one = 10n ** BigInt(decimal.places);
  return decimal.digits >= 0n && decimal.digits % one === 0n ? decimal.digits / one : undefined;
}

/** The code of a currency in a cell such as `USD 1.25`. */
export function currencyIn(cell: string): string | undefined {
  return /[A-Z]{3}/.exec(cell)?.[0];
}

const nanoPlaces = 9;

/** Money in nano-units. Providers export more places: the rest is rounded, half away from zero. */
export function moneyIn(cell: string, hasDecimalComma: boolean, isCents: boolean): bigint | undefined {
  const decimal = decimalIn(cell, hasDecimalComma);
  if (!decimal) return undefined;
  const { digits } = decimal;
  const places = decimal.places + (isCents ? 2 : 0);
  if (places <= nanoPlaces) return digits * 10n ** BigInt(nanoPlaces - places);
  const divisor = 10n ** BigInt(places - nanoPlaces);
  const half = digits < 0n ? -divisor / 2n : divisor / 2n;
  return (digits + half) / divisor;
}
