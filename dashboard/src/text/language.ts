import { recall, remember } from '../remembered.ts';

export type Language = 'en' | 'zh';

/** The language chosen here before, else the browser's, else English. */
export function rememberedLanguage(): Language {
  const chosen = recall('language');
  if (chosen === 'en' || chosen === 'zh') return chosen;
  return navigator.languages.some((tag) => tag.toLowerCase().startsWith('zh')) &&
    !navigator.languages[0]?.startsWith('en')
    ? 'zh'
    : 'en';
}

export function rememberLanguage(language: Language): void {
  remember('language', language);
}

/** The locale to format by: the browser's own where it is of that language, so that dates look as the viewer knows them. */
export function localeOf(language: Language): string {
  const own = navigator.languages.find((tag) => tag.toLowerCase().startsWith(language));
  return own && isLocale(own) ? own : language === 'zh' ? 'zh-CN' : 'en';
}

/** The charts ask the browser for its language as they load and fail on one that `Intl` refuses, so it is given a name that it knows. */
export function mendBrowserLocale(): void {
  if (isLocale(navigator.language)) return;
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

/** Some browsers name languages in ways that their own `Intl` refuses, such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}
