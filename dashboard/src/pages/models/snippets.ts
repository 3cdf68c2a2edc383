import type { BaseUrls } from '../../api/wire.ts';
import type { Snippet } from '../../components/code-block.tsx';

/** Code samples for one model, for the surfaces that it has. */
export function snippetsOf(values: SnippetValues): readonly Snippet[] {
  if (values.surfaces.length === 0) return endpointSnippets(values);
  const chat = values.surfaces.includes('openai');
  const messages = values.surfaces.includes('anthropic');
  const responses = values.surfaces.includes('openai-response');
  return [
    ...(chat ? [{ name: 'curl', code: curlLine(values) }] : []),
    ...(messages ? [{ name: chat ? 'curl (messages)' : 'curl', code: messagesCurl(values) }] : []),
    ...(chat
      ? [
          { name: snippetNames.openaiPython, code: openaiPython(values) },
          { name: snippetNames.openai, code: openaiCode(values) },
        ]
      : []),
    ...(messages
      ? [
          { name: snippetNames.anthropicPython, code: anthropicPython(values) },
          { name: snippetNames.anthropic, code: anthropicCode(values) },
        ]
      : []),
    { name: snippetNames.ai, code: chat ? aiChatCode(values) : aiMessagesCode(values) },
    ...(responses ? responsesSnippets(values) : []),
    ...(messages ? [{ name: 'Claude Code', code: claudeCode(values) }] : []),
    { name: 'opencode', code: opencode(values, chat) },
  ];
}

export function curlLine({ baseUrls, model, key = '$GATEWAY_KEY' }: Omit<SnippetValues, 'surfaces'>): string {
  return `curl ${baseUrls.openai}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${inSingleQuotes({ model, messages: [hello], stream: true })}'`;
}

const hello = { role: 'user', content: 'Hello' };

function messagesCurl({ baseUrls, model, key = '$GATEWAY_KEY' }: SnippetValues): string {
  return `curl ${baseUrls.anthropic}/v1/messages \\
  -H "x-api-key: ${key}" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "Content-Type: application/json" \\
  -d '${inSingleQuotes({ model, max_tokens: 1024, messages: [hello] })}'`;
}

function openaiCode({ baseUrls, model, key }: SnippetValues): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${quoted(baseUrls.openai)},
  apiKey: ${keyExpression(key)},
});
const stream = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '');`;
}

function anthropicCode({ baseUrls, model, key }: SnippetValues): string {
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: ${quoted(baseUrls.anthropic)},
  apiKey: ${keyExpression(key)},
});
const stream = client.messages.stream({
  model: ${quoted(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();`;
}

function aiChatCode({ baseUrls, model, key }: SnippetValues): string {
  return `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const gateway = createOpenAICompatible({
  name: 'gateway',
  baseURL: ${quoted(baseUrls.openai)},
  apiKey: ${keyExpression(key)},
});
const { textStream } = streamText({ model: gateway(${quoted(model)}), prompt: 'Hello' });
for await (const text of textStream) process.stdout.write(text);`;
}

function aiMessagesCode({ baseUrls, model, key }: SnippetValues): string {
  return `import { createAnthropic } from '@ai-sdk/anthropic';
import { streamText } from 'ai';

const gateway = createAnthropic({
  baseURL: ${quoted(`${baseUrls.anthropic}/v1`)},
  apiKey: ${keyExpression(key)},
});
const { textStream } = streamText({ model: gateway(${quoted(model)}), prompt: 'Hello' });
for await (const text of textStream) process.stdout.write(text);`;
}

function claudeCode({ baseUrls, model, key = '$GATEWAY_KEY' }: SnippetValues): string {
  return `export ANTHROPIC_BASE_URL="${baseUrls.anthropic}"
export ANTHROPIC_API_KEY="${key}"
export ANTHROPIC_SMALL_FAST_MODEL="${model}"
claude --model "${model}"`;
}

/** For `opencode.json`, which reads environment variables itself. */
function opencode({ baseUrls, model, key = '{env:GATEWAY_KEY}' }: SnippetValues, isChat: boolean): string {
  const npm = isChat ? '@ai-sdk/openai-compatible' : '@ai-sdk/anthropic';
  const baseURL = isChat ? baseUrls.openai : `${baseUrls.anthropic}/v1`;
  const gateway = { npm, options: { baseURL, apiKey: key }, models: { [model]: { name: model } } };
  return JSON.stringify(
    { $schema: 'https://opencode.ai/config.json', provider: { gateway }, model: `gateway/${model}` },
    null,
    2,
  );
}

/** JSON for a single-quoted shell string, in which only the quote itself needs escaping. */
function inSingleQuotes(value: unknown): string {
  return JSON.stringify(value).replaceAll("'", `'\\''`);
}

/** The key as a TypeScript expression: a literal, or the environment variable. */
export function keyExpression(key: string | undefined): string {
  return key === undefined ? 'process.env.GATEWAY_KEY' : quoted(key);
}

/** A text in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** The tab names of snippets on all pages. The chosen tab is remembered by its name. */
export const snippetNames = {
  openai: 'openai (TypeScript)',
  openaiPython: 'openai (Python)',
  anthropic: 'anthropic (TypeScript)',
  anthropicPython: 'anthropic (Python)',
  ai: 'AI SDK',
} as const;

/** The values that make a snippet runnable. */
export interface SnippetValues {
  readonly baseUrls: BaseUrls;
  readonly model: string;
  readonly surfaces: readonly string[];
  readonly endpoints?: readonly string[];
  /** A secret, or the name of the variable that holds it. */
  readonly key?: string;
}

const bodies: Readonly<Record<string, readonly [path: string, fields: object]>> = {
  embeddings: ['embeddings', { input: ['first text', 'second text'] }],
  rerank: ['rerank', { query: 'fair queue', documents: ['about queues', 'about cooking'] }],
  moderations: ['moderations', { input: 'Is this all right?' }],
  images: ['images/generations', { prompt: 'a gate by the sea', n: 1 }],
  speech: ['audio/speech', { input: 'Good morning', voice: 'alloy' }],
};

/** Code samples for a model without a chat surface. */
function endpointSnippets({
  baseUrls,
  model,
  endpoints = [],
  key = '$GATEWAY_KEY',
}: SnippetValues): readonly Snippet[] {
  return endpoints.map((name) => {
    const [path = 'audio/transcriptions', fields] = bodies[name] ?? [];
    const lines = [`curl ${baseUrls.openai}/${path}`, `-H "Authorization: Bearer ${key}"`];
    const body = fields
      ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify({ model, ...fields })}'`]
      : [`-F model=${model}`, '-F file=@recording.mp3'];
    return { name: `curl (${name})`, code: [...lines, ...body].join(' \\\n  ') };
  });
}

/** A first request with the `openai` package for Python. */
function openaiPython({ baseUrls, model, key }: SnippetValues): string {
  return `import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrls.openai)}, api_key=${keyOf(key)})
stream = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
}

/** The same over the Responses API. */
export function responsesPython({ baseUrls, model, key }: SnippetValues): string {
  return `import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrls.openai)}, api_key=${keyOf(key)})
with client.responses.stream(model=${JSON.stringify(model)}, input="Hello") as stream:
    for event in stream:
        if event.type == "response.output_text.delta":
            print(event.delta, end="", flush=True)`;
}

/** A first request with the `anthropic` package for Python. */
function anthropicPython({ baseUrls, model, key }: SnippetValues): string {
  return `import os
from anthropic import Anthropic

client = Anthropic(base_url=${JSON.stringify(baseUrls.anthropic)}, api_key=${keyOf(key)})
with client.messages.stream(
    model=${JSON.stringify(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)`;
}

function keyOf(key: string | undefined): string {
  return key === undefined ? 'os.environ["GATEWAY_KEY"]' : JSON.stringify(key);
}

/** Code samples for the Responses API. */
function responsesSnippets(values: SnippetValues): readonly Snippet[] {
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
