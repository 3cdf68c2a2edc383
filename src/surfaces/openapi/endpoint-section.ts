import { codeBlock } from './code-block.ts';
import type { OpenApiDocument } from './document.ts';
import { fieldTable } from './field-table.ts';
import { fieldGroups } from './fields.ts';
import { html, type Markup, prose } from './html.ts';
import type { MediaType, Operation } from './operation.ts';

/** An operation with its method and path. */
export interface EndpointEntry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Every operation, in document order. */
export function entries(document: OpenApiDocument): readonly EndpointEntry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

export function methodBadge(method: string): Markup {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

/** The complete description of one endpoint. */
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
