import { codeBlock, html, type Markup, prose } from './html.ts';
import type { OpenApiDocument } from './document.ts';
import { type DocumentedField, type FieldGroup, fieldGroups } from './fields.ts';
import type { MediaType, Operation } from './operation.ts';

interface EndpointEntry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function entries(document: OpenApiDocument): readonly EndpointEntry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

export function methodBadge(method: string): Markup {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

export function endpointSection(entry: EndpointEntry, document: OpenApiDocument): Markup {
  const { operation } = entry;
  return html`<section id="${operation.operationId}" aria-labelledby="${operation.operationId}-name">
<h3 id="${operation.operationId}-name" class="endpoint-name">${methodBadge(entry.method)} <span>${entry.path}</span></h3>
<p class="summary">${operation.summary}</p>
${operation.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>\n`)}${requestPart(entry, document)}${answerPart(entry, document)}${errorPart(operation)}</section>
`;
}

function requestPart({ path, operation }: EndpointEntry, document: OpenApiDocument): Markup | undefined {
  const [body] = Object.values(operation.requestBody?.content ?? {});
  if (!body) return undefined;
  return html`<h4>Request</h4>
${fieldTable(`Request fields of ${path}`, fieldGroups(body.schema, document.components.schemas), 'request')}${exampleBlock('Example request', body)}`;
}

function answerPart({ operation }: EndpointEntry, document: OpenApiDocument): Markup {
  const answer = operation.responses['200'];
  const [[contentType, media] = ['', undefined]] = Object.entries(answer?.content ?? {});
  return html`<h4>Answer</h4>
<p><code>200</code> <code>${contentType}</code></p>
<p>${prose(answer?.description ?? '')}</p>
${media && exampleBlock('Example answer', media)}${media && answerFields(media, document)}`;
}

function exampleBlock(caption: string, media: MediaType): Markup | undefined {
  if (media.example === undefined) return undefined;
  if (typeof media.example === 'string') return codeBlock(caption, media.example.trimEnd(), 'stream');
  return codeBlock(caption, JSON.stringify(media.example, null, 2));
}

function answerFields(media: MediaType, document: OpenApiDocument): Markup | undefined {
  const event = media['x-event-schema']?.anyOf?.[0];
  const groups = fieldGroups(event ?? media.schema, document.components.schemas);
  if (groups.every(({ fields }) => fields.length === 0)) return undefined;
  const title = event ? 'Fields of a chunk' : 'Fields of the answer';
  return html`<details><summary>${title}</summary>
${fieldTable(title, groups, 'answer')}</details>
`;
}

function errorPart({ responses }: Operation): Markup {
  const statuses = Object.keys(responses).filter((status) => !status.startsWith('2'));
  return html`<h4>Possible errors</h4>
<ul class="statuses">${statuses.map((status) => html`<li><a href="#error-${status}">${status}</a></li>`)}</ul>
`;
}

/** A request table marks required fields; an answer table marks optional fields. */
type FieldDirection = 'request' | 'answer';

function fieldTable(caption: string, groups: readonly FieldGroup[], direction: FieldDirection): Markup {
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
