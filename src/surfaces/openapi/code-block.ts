import { highlight } from './highlight.ts';
import { html, type Markup } from './html.ts';

/** A piece of code under a caption. It can be reached and scrolled with the keyboard, and the page's script adds a copy button. */
export function codeBlock(caption: string, source: string, kind: 'plain' | 'stream' = 'plain'): Markup {
  return html`<figure class="code">
<figcaption>${caption}</figcaption>
<pre class="${kind}" tabindex="0"><code>${highlight(source)}</code></pre>
</figure>
`;
}
