import type { Account } from '../api/wire.ts';
import { cases } from '../strings/cases.ts';
import { type Translate, useText } from '../text/text.tsx';

/** The display name of an account, or its name if it has none. */
export function accountName({ name, display_name: shown }: Pick<Account, 'name' | 'display_name'>): string {
  return shown ?? name;
}

/** A short name of an error case. Returns the raw case if this dashboard has no text for it. */
export function caseName(errorCase: string, t: Translate): string {
  return errorCase in cases ? t(`cases.${errorCase as keyof typeof cases}`) : errorCase;
}

/** The name of a month such as `2026-03`. Only its name: the account's time zone decides when it begins. */
export function useMonthName(): (month: string) => string {
  const { language } = useText();
  const format = new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return (month) => {
    const start = new Date(`${month}-01T00:00:00Z`);
    return Number.isNaN(start.getTime()) ? month : format.format(start);
  };
}

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** A short device name from the browser's user agent. */
export function deviceName(userAgent: string | null): string | undefined {
  const find = (list: readonly (readonly [RegExp, string])[]) => list.find(([sign]) => sign.test(userAgent ?? ''))?.[1];
  const names = [find(browsers), find(systems)].filter((name) => name !== undefined);
  return names.length === 0 ? undefined : names.join(' · ');
}
