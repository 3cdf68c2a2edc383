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

/** Highlights keys, strings, values and comments in JSON, event streams, shell commands and short programs. */
export function highlight(source: string): Markup {
  let text = '';
  let end = 0;
  for (const match of source.matchAll(token)) {
    text += escapeHtml(source.slice(end, match.index)) + paint(match);
    end = match.index + match[0].length;
  }
  return raw(text + escapeHtml(source.slice(end)));
}

const token =
  /(?<comment>(?<=^|\s)(?:#|\/\/) .*$)|(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')|(?<value>(?<![\w./-])(?:true|false|null|-?\d+(?:\.\d+)?)\b(?![./]))|(?<word>^data:|^curl\b|\b(?:import|from|const|new|await|for|of)\b)/gm;

function paint(match: RegExpExecArray): string {
  const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ['value'];
  return `<span class="${kind}">${escapeHtml(match[0])}</span>`;
}

/** Code with a caption. It can be focused and scrolled with the keyboard; the page's script adds a copy button. */
export function codeBlock(caption: string, source: string, kind: 'plain' | 'stream' = 'plain'): Markup {
  const code = kind === 'stream' ? breakable(highlight(source)) : highlight(source);
  return html`<figure class="code">
<figcaption>${caption}</figcaption>
<pre class="${kind}" tabindex="0"><code>${code}</code></pre>
</figure>
`;
}

/** Allows line breaks between the fields of an event, but not inside them. */
function breakable({ markup }: Markup): Markup {
  return raw(markup.replaceAll(',', ',<wbr>'));
}
