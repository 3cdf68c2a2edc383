import type { SnippetEndpoint } from '../../core/snippets/snippet-request.ts';
import { type SnippetTool, snippet } from '../../core/snippets/snippet.ts';
import { codeBlock } from './code-block.ts';
import { html, type Markup } from './html.ts';

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
