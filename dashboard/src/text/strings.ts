import { type Language, localeOf } from './language.ts';

/** A text in English and in Chinese. If the English text depends on a number, `{count}` selects `one` or `other`. */
export type Pair = readonly [en: string | Plural, zh: string];

export interface Plural {
  readonly one: string;
  readonly other: string;
}

/** The texts of one section, by key. */
export type Strings = Readonly<Record<string, Pair>>;

type English<P extends Pair> = P[0] extends Plural ? P[0]['other'] : P[0];

/** The names between braces in a text. */
export type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

export type ValuesOf<P extends Pair> = Readonly<Record<Placeholders<English<P>>, string | number>>;

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
