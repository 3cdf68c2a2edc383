export const languages = ['en', 'zh'] as const;

export type Language = (typeof languages)[number];

/** A text in English and in Chinese. The names of its parameters are in braces. */
export type Text = readonly [english: string, chinese: string];

export type Texts = Readonly<Record<string, Text>>;

export type Params = Readonly<Record<string, string | number>>;

/** The parameters of a text. A reference to the environment (`${NAME}`) and empty braces are not parameters. */
export type Names<Written extends string> = Written extends `${infer Before}{${infer Name}}${infer Rest}`
  ? (Before extends `${string}$` ? never : Exclude<Name, ''>) | Names<Rest>
  : never;

/** The arguments for a text: none, or one object with a value for each name in braces. */
export type TextArguments<Pair extends Text> =
  Names<Pair[0]> extends never ? [] : [Readonly<Record<Names<Pair[0]>, string | number>>];

export function inLanguage(language: Language, text: Text, params: Params = {}): string {
  return fillIn(text[languages.indexOf(language)] ?? '', params);
}

/** The names in braces. A value replaces each; `${NAME}` stays. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(placeholder)].map(([, name = '']) => name);
}

export function fillIn(text: string, params: Params): string {
  return text.replace(placeholder, (braces, name: string) => String(params[name] ?? braces));
}

const placeholder = /(?<!\$)\{(\w+)\}/g;
