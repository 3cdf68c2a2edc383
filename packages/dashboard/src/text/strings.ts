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
