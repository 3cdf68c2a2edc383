import { recall, remember } from '../remembered.ts';

export type Language = 'en' | 'zh';

/** Returns the language chosen earlier in this browser, else the browser's language, else English. */
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

/** Returns the browser's own locale if it has that language, so that dates have the user's usual format. */
export function localeOf(language: Language): string {
  const own = navigator.languages.find((tag) => tag.toLowerCase().startsWith(language));
  return own && isLocale(own) ? own : language === 'zh' ? 'zh-CN' : 'en';
}

/** Some browsers report languages that their own `Intl` rejects, such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}
