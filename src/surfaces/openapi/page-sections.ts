import { codeBlock, html, type Markup, prose } from './html.ts';
import type { OpenApiDocument } from './document.ts';
import type { DocumentedError } from './error-responses.ts';
import type { SnippetEndpoint } from '../../core/snippets/snippet-request.ts';
import { snippet, type SnippetTool } from '../../core/snippets/snippet.ts';

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

type QuickStart = readonly [caption: string, tool: SnippetTool, endpoint: SnippetEndpoint];

const examples: readonly QuickStart[] = [
  ['List the models of your key', 'curl', 'models'],
  ['Send a request to one of them', 'curl', 'chat'],
  ['With the openai package', 'openai (TypeScript)', 'chat'],
  ['With the AI SDK', 'AI SDK', 'chat'],
];

/** Several clients use the responses format by default, and Codex uses no other. */
const responsesExamples: readonly QuickStart[] = [
  ['With Codex, in ~/.codex/config.toml', 'Codex', 'responses'],
  ['With the openai package, as responses', 'openai (TypeScript)', 'responses'],
  ['With the AI SDK, as responses', 'AI SDK', 'responses'],
  ['With the Agents SDK', 'Agents SDK', 'responses'],
];

/** First requests with several clients, with the address under which the reader opened the page. */
export function quickStartSection(serverUrl: string): Markup {
  const blocks = (list: readonly QuickStart[]) =>
    list.map(([caption, tool, endpoint]) =>
      codeBlock(caption, snippet(tool, { endpoint, baseUrl: `${serverUrl}/v1` })),
    );
  return html`<section id="quick-start" aria-labelledby="quick-start-title">
<h2 id="quick-start-title">Quick start</h2>
<p>Put your key into <code>GATEWAY_KEY</code> and take a model id from the list. <code>MODEL_ID</code> below stands for that id.</p>
${blocks(examples)}<p>Clients of the responses format use the same address.</p>
${blocks(responsesExamples)}</section>
`;
}

/** Differences from other deployments of the same wire format. */
export function goodToKnowSection(): Markup {
  return html`<section id="good-to-know" aria-labelledby="good-to-know-title">
<h2 id="good-to-know-title">Good to know</h2>
<ul class="notes">
${notes.map(([title, text]) => html`<li><strong>${prose(title)}</strong> ${prose(text)}</li>\n`)}</ul>
</section>
`;
}

const notes: readonly (readonly [title: string, text: string])[] = [
  [
    'Every answer is a stream',
    'This includes `stream: false`. A client that expects one JSON body fails; send `stream: true` and read events.',
  ],
  [
    'Usage is always sent',
    'The last chunk before `[DONE]` has empty `choices` and the usage, whether or not `stream_options.include_usage` was sent.',
  ],
  [
    '`output_tokens` is 0',
    'This alias is always 0. Read `completion_tokens`. Rely only on the three counts and the two `_details` objects.',
  ],
  [
    'There is no 429',
    'There are no `Retry-After` or rate-limit headers either. Under load a request waits in a queue and the stream sends `: keep-alive` comments meanwhile. Set timeouts by latency and do not wait for a rejection.',
  ],
  [
    'A failed answer ends with an error',
    'If the provider fails after the stream has begun, one `data:` line carries the error envelope and the stream ends without a `finish_reason`, without usage and without `[DONE]`. Treat an answer without `[DONE]` as incomplete.',
  ],
  [
    'Retries can be free',
    'Send your own `Idempotency-Key`. A retry with the same key and body joins the answer that is running or ended in the last two minutes, and is charged once. Such an answer continues for 10 seconds after its client has left; any other ends with its connection. SDKs that count their retries in `x-stainless-retry-count` get the same without a key, while the answer runs or after it has completed.',
  ],
  [
    'Truncation has two signs',
    'Some models return `stop` where others return `length`. Compare `completion_tokens` with your `max_tokens` as well.',
  ],
  [
    'Unlisted fields are forwarded',
    'A field that this page does not list is forwarded to the provider unchanged, and the provider may reject it with `400` `upstream_error`. On assistant messages several models reject `prefix` and `reasoning_content`.',
  ],
  [
    'Aliases resolve to dated ids',
    'Request a model by its alias or by its dated id; `model` in the answer is always the dated id of the catalog.',
  ],
  [
    'Tool arguments are model output',
    'They can be invalid JSON or contain invented fields. Validate them before you run anything.',
  ],
];
