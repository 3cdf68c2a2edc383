import { type Language, localeOf } from './language.ts';
import type { Pair } from './strings.ts';

/** Returns a text in one language with its placeholders replaced. Numbers are formatted for the language. */
export function fill(pair: Pair, language: Language, values: Readonly<Record<string, string | number>>): string {
  const [english, chinese] = pair;
  const text = language === 'zh' ? chinese : typeof english === 'string' ? english : english[form(values['count'])];
  return text.replace(/\{(\w+)\}/g, (braces, name: string) => shown(values[name], language) ?? braces);
}

function form(count: string | number | undefined): 'one' | 'other' {
  return new Intl.PluralRules('en').select(Number(count)) === 'one' ? 'one' : 'other';
}

function shown(value: string | number | undefined, language: Language): string | undefined {
  return typeof value === 'number' ? value.toLocaleString(localeOf(language)) : value;
}
