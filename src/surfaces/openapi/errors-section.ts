import { codeBlock } from './code-block.ts';
import type { OpenApiDocument } from './document.ts';
import type { DocumentedError } from './error-responses.ts';
import { html, type Markup, prose } from './html.ts';

/** The error envelope, and every case with its remedy. */
export function errorsSection(document: OpenApiDocument): Markup {
  const example = document.components.examples['invalid-request'];
  return html`<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>Every response that is not a success has the same JSON body. Decide by <code>code</code> or by the status; <code>type</code> only tells which side the error comes from. Treat an unknown code as final.</p>
${codeBlock('An error', JSON.stringify(example?.value, null, 2))}<div class="table"><table class="errors">
<caption class="hidden">Error cases</caption>
<thead><tr><th scope="col">Status and code</th><th scope="col">When</th><th scope="col">What to do</th></tr></thead>
<tbody>
${document['x-errors'].map((error, index, all) => errorRow(error, all[index - 1]?.status !== error.status))}</tbody>
</table></div>
</section>
`;
}

/** The first row of a status is the link target of the endpoints. */
function errorRow(error: DocumentedError, isFirst: boolean): Markup {
  const anchor = isFirst ? html` id="error-${error.status}"` : undefined;
  const code = error.code === '' ? html`<span class="none">empty code</span>` : html`<code>${error.code}</code>`;
  return html`<tr${anchor}><th scope="row"><span class="status">${error.status}</span>${code}<span class="type">${error.type}</span></th><td>${prose(error.when)}</td><td>${prose(error.remedy)}</td></tr>
`;
}
