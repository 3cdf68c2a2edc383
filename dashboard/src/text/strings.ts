/** A text in English and in Chinese. Where the English depends on a number, `one` and `other` follow `{count}`. */
export type Pair = readonly [en: string | Plural, zh: string];

export interface Plural {
  readonly one: string;
  readonly other: string;
}

/** What a page's file of strings holds. */
export type Strings = Readonly<Record<string, Pair>>;

type English<P extends Pair> = P[0] extends Plural ? P[0]['other'] : P[0];

/** The names between braces in a text. */
export type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

export type ValuesOf<P extends Pair> = Readonly<Record<Placeholders<English<P>>, string | number>>;
