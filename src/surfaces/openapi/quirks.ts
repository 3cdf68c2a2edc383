import { html, type Markup, prose } from './html.ts';

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
