import { highlight } from './highlight.ts';
import { html, type Markup, raw } from './html.ts';

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
