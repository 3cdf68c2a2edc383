import type { DocumentedField, FieldGroup } from './fields.ts';
import { html, type Markup, prose } from './html.ts';

/** A request table marks required fields; an answer table marks optional fields. */
export type FieldDirection = 'request' | 'answer';

/** Fields as a table: name, type, default (requests only) and rules. */
export function fieldTable(caption: string, groups: readonly FieldGroup[], direction: FieldDirection): Markup {
  const initial = direction === 'request' ? html`<th scope="col">Default</th>` : undefined;
  return html`<div class="table"><table class="fields ${direction}">
<caption class="hidden">${caption}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th>${initial}<th scope="col">Rules</th></tr></thead>
${groups.map((group) => fieldRows(group, direction))}</table></div>
`;
}

function fieldRows({ title, fields }: FieldGroup, direction: FieldDirection): Markup {
  const columns = direction === 'request' ? 4 : 3;
  const heading =
    title && html`<tr><th class="group" colspan="${columns}" scope="rowgroup">${prose(title)}</th></tr>\n`;
  return html`<tbody>
${heading}${fields.map((field) => fieldRow(field, direction))}</tbody>
`;
}

function fieldRow(field: DocumentedField, direction: FieldDirection): Markup {
  const limits = field.limits.map((limit) => html` <span class="limit">${prose(limit)}</span>`);
  const path = field.path && html`<span class="path">${field.path}</span><wbr>`;
  const name = html`<code>${path}${field.name}</code>${presence(field, direction)}`;
  const initial = direction === 'request' ? html`<td class="default">${initialValue(field)}</td>` : undefined;
  return html`<tr><th scope="row">${name}</th><td>${field.type}</td>${initial}<td>${prose(field.description)}${limits}</td></tr>
`;
}

function presence({ isRequired }: DocumentedField, direction: FieldDirection): Markup | undefined {
  if (direction === 'request') return isRequired ? html` <span class="required">required</span>` : undefined;
  return isRequired ? undefined : html` <span class="limit">optional</span>`;
}

/** JSON with spaces, so that a narrow column can wrap it. */
function initialValue(field: DocumentedField): Markup {
  if (field.default === undefined) return html`<span class="none">–</span>`;
  return html`<code>${JSON.stringify(field.default, null, 1).replace(/\s+/g, ' ')}</code>`;
}
