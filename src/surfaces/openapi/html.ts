/** HTML that is already safe to send. Only `html` and `raw` make it, so a plain string can never slip in unescaped. */
export interface Markup {
  readonly markup: string;
}

type MarkupPart = Markup | string | number | undefined | readonly Markup[];

/** Builds HTML from a template; every value that is not markup itself is escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return raw(strings.reduce((text, string, index) => text + textOf(parts[index - 1]) + string));
}

/** Declares text to be HTML. For our own constants only. */
export function raw(markup: string): Markup {
  return { markup };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] ?? '');
}

/** A sentence or two in which `backticks` mark code, as all descriptions of the document are written. */
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
