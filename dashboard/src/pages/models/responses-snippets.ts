import type { Snippet } from '../../components/code-block.tsx';
import { responsesPython } from './python-snippets.ts';
import { keyExpression, quoted } from './quoting.ts';
import type { SnippetValues } from './snippet-values.ts';

/** Code samples for the Responses API. */
export function responsesSnippets(values: SnippetValues): readonly Snippet[] {
  return [
    { name: 'Codex', code: codexConfig(values) },
    { name: 'Responses (Python)', code: responsesPython(values) },
    { name: 'Responses (TypeScript)', code: openaiResponses(values) },
    { name: 'AI SDK (Responses)', code: aiResponses(values) },
    { name: 'Agents SDK', code: agents(values) },
  ];
}

/** For `~/.codex/config.toml`. The key stays in the environment. */
function codexConfig({ baseUrls, model }: SnippetValues): string {
  return `# ~/.codex/config.toml, with the key in GATEWAY_KEY
model = ${JSON.stringify(model)}
model_provider = "gateway"

[model_providers.gateway]
name = "Chat Gateway"
base_url = ${JSON.stringify(baseUrls.openai)}
env_key = "GATEWAY_KEY"
wire_api = "responses"
model_catalog_url = ${JSON.stringify(`${baseUrls.openai}/models`)}

[features]
api_key_model_discovery = true`;
}

function openaiResponses({ baseUrls, model, key }: SnippetValues): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${quoted(baseUrls.openai)},
  apiKey: ${keyExpression(key)},
});
const stream = client.responses.stream({ model: ${quoted(model)}, input: 'Hello' });
stream.on('response.output_text.delta', ({ delta }) => process.stdout.write(delta));
await stream.finalResponse();`;
}

function aiResponses({ baseUrls, model, key }: SnippetValues): string {
  return `import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';

const gateway = createOpenAI({
  baseURL: ${quoted(baseUrls.openai)},
  apiKey: ${keyExpression(key)},
});
const { textStream } = streamText({ model: gateway(${quoted(model)}), prompt: 'Hello' });
for await (const text of textStream) process.stdout.write(text);`;
}

function agents({ baseUrls, model, key }: SnippetValues): string {
  return `import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({
  baseURL: ${quoted(baseUrls.openai)},
  apiKey: ${keyExpression(key)},
}));
const agent = new Agent({ name: 'Helper', model: ${quoted(model)} });
console.log((await run(agent, 'Hello')).finalOutput);`;
}
