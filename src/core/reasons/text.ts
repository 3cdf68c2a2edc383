/** A text in English and in Chinese; the names of its parameters stand in braces. */
export type Text = readonly [english: string, chinese: string];

export type Texts = Readonly<Record<string, Text>>;

/** The values of a text's parameters. */
export type Params = Readonly<Record<string, string | number>>;

/** The parameters of a text. A reference to the environment (`${NAME}`) and empty braces are no parameters. */
export type Names<Written extends string> = Written extends `${infer Before}{${infer Name}}${infer Rest}`
  ? (Before extends `${string}$` ? never : Exclude<Name, ''>) | Names<Rest>
  : never;

/** What must be given for a text: nothing, or one value for each name in braces. */
export type Given<Pair extends Text> =
  Names<Pair[0]> extends never ? [] : [Readonly<Record<Names<Pair[0]>, string | number>>];

export function fillIn(text: string, params: Params): string {
  return text.replace(/(?<!\$)\{(\w+)\}/g, (braces, name: string) => String(params[name] ?? braces));
}
