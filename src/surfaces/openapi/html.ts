/** HTML that is safe to send. Only `html` and `raw` create it, so a string is never inserted unescaped. */
export interface Markup {
  readonly markup: string;
}

type MarkupPart = Markup | string | number | undefined | readonly Markup[];

/** Builds HTML from a template. Every value that is not markup is escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return raw(strings.reduce((text, string, index) => text + textOf(parts[index - 1]) + string));
}

/** Marks text as HTML. Only for constants of this folder and escaped text. */
export function raw(markup: string): Markup {
  return { markup };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] ?? '');
}

/** Text in which `backticks` mark code, the format of all descriptions in the document. */
export function prose(text: string): Markup {
  return raw(
    text
      .split('`')
      .map((piece, index) => (index % 2 === 1 ? `<code>${escapeHtml(piece)}</code>` : escapeHtml(piece)))
      .join(''),
  );
}

function textOf(part: MarkupPart): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map((piece) => piece.markup).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};
