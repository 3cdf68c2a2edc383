import { useMemo } from 'react';
import { weekdays } from 'chat-formats/price.ts';
import { localeOf } from './language.ts';
import { useText } from './text.tsx';

/** Formats numbers, money and times for the language and the time zone of the user. */
export interface Format {
  readonly timeZone: string;
  readonly number: (value: number, options?: Intl.NumberFormatOptions) => string;
  /** 12,345 as 12.3K. */
  readonly compact: (value: number) => string;
  readonly percent: (fraction: number) => string;
  /** Takes a decimal string. Small amounts keep their significant digits. Amounts are never rounded up. */
  readonly money: (amount: string, currency: string) => string;
  /** The same with all digits, for tables whose amounts add up. */
  readonly exactMoney: (amount: string, currency: string) => string;
  readonly dateTime: (iso: string | number | Date) => string;
  /** Date and time with the time zone. */
  readonly zonedTime: (iso: string | number | Date) => string;
  readonly date: (iso: string | number | Date) => string;
  /** Day and month, for the axis of a chart. */
  readonly shortDate: (iso: string | number | Date) => string;
  /** The short name of a day, given as `mon`. */
  readonly weekday: (day: string) => string;
  readonly time: (iso: string | number | Date) => string;
  /** "Nov 17, 14:00 – 15:00". Parts that both ends share are written once. */
  readonly range: (from: string | number, to: string | number, options: Intl.DateTimeFormatOptions) => string;
  /** "3 minutes ago". */
  readonly relative: (iso: string | number | Date, now?: number) => string;
  /** "12s ago". The date if it is more than a day ago. */
  readonly age: (iso: string | number | Date, now?: number) => string;
  /** Milliseconds as 840ms, 3.21s, 4m 10s. */
  readonly duration: (ms: number) => string;
}

export function useFormat(): Format {
  const { language, timeZone } = useText();
  return useMemo(() => formatOf(localeOf(language), timeZone), [language, timeZone]);
}

export function formatOf(locale: string, timeZone: string): Format {
  const numbers = new Intl.NumberFormat(locale);
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  const shortDate = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone });
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone });
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const short = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' });
  const zoned = new Intl.DateTimeFormat(locale, { ...zonedParts, timeZone });
  const wordsBetween = (at: string | number | Date, now: number, words: Intl.RelativeTimeFormat) => {
    const [value, unit] = distance(new Date(at).getTime() - now);
    const text = words.format(value, unit);
    // Intl returns 现在 ("at present"); a past event needs 刚刚 ("just now").
    return text === '现在' ? '刚刚' : text;
  };
  return {
    timeZone,
    number: (value, options) => (options ? new Intl.NumberFormat(locale, options) : numbers).format(value),
    compact: (value) => (Math.abs(value) < 10_000 ? numbers : compact).format(value),
    percent: (fraction) => percent.format(fraction),
    money: (amount, currency) => moneyFormat(locale, currency, digitsFor(amount)).format(decimal(amount)),
    exactMoney: (amount, currency) => moneyFormat(locale, currency, placesMax).format(decimal(amount)),
    dateTime: (at) => dateTime.format(new Date(at)),
    date: (at) => date.format(new Date(at)),
    shortDate: (at) => shortDate.format(new Date(at)),
    // The fifth of that month is a Monday.
    weekday: (day) => weekday.format(Date.UTC(2026, 0, 5 + weekdays.findIndex((name) => name === day))),
    time: (at) => time.format(new Date(at)),
    zonedTime: (at) => zoned.format(new Date(at)),
    range: (from, to, options) =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone }).formatRange(new Date(from), new Date(to)),
    relative: (at, now = Date.now()) => wordsBetween(at, now, relative),
    age: (at, now = Date.now()) => {
      const ago = now - new Date(at).getTime();
      return ago >= dayMs ? date.format(new Date(at)) : wordsBetween(at, now, ago < 0 ? relative : short);
    },
    duration: (ms) => duration(locale, ms),
  };
}

const dayMs = 86_400_000;

const zonedParts = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
} as const;

/** Intl formats decimal strings exactly; a number would round a long balance. */
function decimal(amount: string): Intl.StringNumericLiteral {
  return amount as Intl.StringNumericLiteral;
}

/** The gateway stores amounts in billionths. */
const placesMax = 9;

function digitsFor(amount: string): number {
  const size = Math.abs(Number(amount));
  if (size === 0 || size >= 1) return 2;
  if (size >= 0.01) return 4;
  return size >= 0.000001 ? 6 : placesMax;
}

function moneyFormat(locale: string, currency: string, digits: number): Intl.NumberFormat {
  // Truncated, not rounded: after the smallest charge, a balance of 5 must not be shown as 5.00. Truncation also shows
  // the same digits for a charge in the ledger, where it is negative, and in the usage sums, where it is positive.
  const fraction = { minimumFractionDigits: 2, maximumFractionDigits: digits, roundingMode: 'trunc' } as const;
  try {
    return new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...fraction });
  } catch {
    // The operator may use a unit that Intl does not accept as a currency.
    return new Intl.NumberFormat(locale, fraction);
  }
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function distance(ms: number): [number, Intl.RelativeTimeFormatUnit] {
  for (const [unit, size] of steps) if (Math.abs(ms) >= size) return [Math.trunc(ms / size), unit];
  return [Math.trunc(ms / 1000), 'second'];
}

function duration(locale: string, ms: number): string {
  const unit = (value: number, name: string, digits = 0) =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: name,
      unitDisplay: 'narrow',
      maximumFractionDigits: digits,
    }).format(value);
  if (ms < 1000) return unit(Math.round(ms), 'millisecond');
  if (ms < 60_000) return unit(ms / 1000, 'second', ms < 10_000 ? 2 : 1);
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${unit(minutes, 'minute')} ${unit(Math.floor((ms % 60_000) / 1000), 'second')}`;
  if (minutes < 2880) return `${unit(Math.floor(minutes / 60), 'hour')} ${unit(minutes % 60, 'minute')}`;
  return `${unit(Math.floor(minutes / 1440), 'day')} ${unit(Math.floor((minutes % 1440) / 60), 'hour')}`;
}

/** Prompt and completion tokens. A single dash if neither was counted. */
export function tokenFlow(prompt: number | null, completion: number | null, shown: (count: number) => string): string {
  if (prompt === null && completion === null) return '–';
  const [input, output] = [prompt, completion].map((count) => (count === null ? '–' : shown(count)));
  return `${input} → ${output}`;
}
