import { html, type Markup, prose } from './html.ts';

/** What surprises clients that know other deployments of the same wire format. */
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
    'Also with `stream: false`. A client that waits for one JSON body fails; send `stream: true` and read events.',
  ],
  [
    'Usage always comes',
    'The last chunk before `[DONE]` has empty `choices` and the usage, whether or not `stream_options.include_usage` was sent.',
  ],
  [
    '`output_tokens` is 0',
    'This alias is 0 whatever the model wrote. Read `completion_tokens`. Only the three counts and the two `_details` objects are meant to be relied on.',
  ],
  [
    'There is no 429',
    'Nor are there `Retry-After` or rate-limit headers. Under load a request waits for its turn and the stream sends `: keep-alive` comments meanwhile, so set timeouts by latency and do not wait for a refusal.',
  ],
  [
    'A broken answer says so',
    'If the provider fails after the stream has begun, one `data:` line carries the error envelope and the stream ends without a `finish_reason`, without usage and without `[DONE]`. Treat an answer without `[DONE]` as incomplete.',
  ],
  [
    'Retries can be free',
    'Send an `Idempotency-Key` of your own: a request that carries it again with the same body joins the answer that is running, or was given in the last two minutes, and is charged once. Such an answer goes on for 10 seconds after its client has left; any other ends with its connection. SDKs that count their retries in `x-stainless-retry-count` get the same without a key, as long as the answer runs or has ended whole.',
  ],
  [
    'Truncation has two signs',
    'Some models say `stop` where others say `length`. Compare `completion_tokens` with your `max_tokens` as well.',
  ],
  [
    'Unlisted fields are forwarded',
    'A field this page does not name goes to the provider untouched, and the provider may refuse it with `400` `upstream_error`. On assistant messages several models refuse `prefix` and `reasoning_content`.',
  ],
  [
    'Aliases resolve to dated ids',
    'Ask for a model by its alias or by its dated id; `model` in the answer is always the dated id of the catalog.',
  ],
  [
    'Tool arguments are model output',
    'They can be invalid JSON or hold invented fields. Check them before you run anything.',
  ],
];
