import { codeBlock } from './code-block.ts';
import { html, type Markup } from './html.ts';

/** The quick start for clients of the responses format. Several use it by default, and Codex uses no other. */
export function responsesQuickStart(baseUrl: string): Markup {
  return html`<p>Clients of the responses format use the same address.</p>
${codeBlock('With Codex, in ~/.codex/config.toml', codexConfig(baseUrl))}${codeBlock('With the openai package, as responses', openaiProgram(baseUrl))}${codeBlock('With the AI SDK, as responses', aiSdkProgram(baseUrl))}${codeBlock('With the Agents SDK', agentsProgram(baseUrl))}`;
}

function codexConfig(baseUrl: string): string {
  return `model = "MODEL_ID"
model_provider = "gateway"

[model_providers.gateway]
name = "Chat Gateway"
base_url = "${baseUrl}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
model_catalog_url = "${baseUrl}/v1/models"

[features]
api_key_model_discovery = true`;
}

function openaiProgram(baseUrl: string): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${baseUrl}/v1',
  apiKey: process.env.GATEWAY_KEY,
});

const stream = client.responses.stream({ model: 'MODEL_ID', input: 'Hello!' });
stream.on('response.output_text.delta', ({ delta }) => process.stdout.write(delta));
await stream.finalResponse();`;
}

function aiSdkProgram(baseUrl: string): string {
  return `import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';

const gateway = createOpenAI({
  baseURL: '${baseUrl}/v1',
  apiKey: process.env.GATEWAY_KEY,
});

const answer = streamText({ model: gateway('MODEL_ID'), prompt: 'Hello!' });
for await (const text of answer.textStream) process.stdout.write(text);`;
}

function agentsProgram(baseUrl: string): string {
  return `import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({
  baseURL: '${baseUrl}/v1',
  apiKey: process.env.GATEWAY_KEY,
}));
const agent = new Agent({ name: 'Helper', model: 'MODEL_ID' });
console.log((await run(agent, 'Hello!')).finalOutput);`;
}
