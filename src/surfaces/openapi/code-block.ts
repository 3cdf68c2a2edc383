import { highlight } from './highlight.ts';
import { html, type Markup, raw } from './html.ts';

/** A piece of code under a caption. It can be reached and scrolled with the keyboard, and the page's script adds a copy button. */
export function codeBlock(caption: string, source: string, kind: 'plain' | 'stream' = 'plain'): Markup {
  const code = kind === 'stream' ? breakable(highlight(source)) : highlight(source);
  return html`<figure class="code">
<figcaption>${caption}</figcaption>
<pre class="${kind}" tabindex="0"><code>${code}</code></pre>
</figure>
`;
}

/** The long lines of an event stream are shown whole; they had better break between fields than inside them. */
function breakable({ markup }: Markup): Markup {
  return raw(markup.replaceAll(',', ',<wbr>'));
}
