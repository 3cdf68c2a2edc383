import type { Snippet } from '../components/code-block.tsx';
import {
  type GatewayAccess,
  aiProgram,
  anthropicProgram,
  anthropicPython,
  clientOptions,
  curlProgram,
  openaiProgram,
  openaiPython,
  snippetNames,
} from './programs.ts';
import { sourceText } from './source-text.ts';

/** The values that make a snippet runnable. */
interface SnippetValues extends GatewayAccess {
  readonly model: string;
  readonly surfaces: readonly string[];
  readonly endpoints?: readonly string[];
}

const messages = [{ role: 'user', content: 'Hello' }];

/** Code samples for one model, for the surfaces that it has. */
export function snippetsOf(values: SnippetValues): readonly Snippet[] {
  if (values.surfaces.length === 0) return endpointSnippets(values);
  const { model } = values;
  const isChat = values.surfaces.includes('openai');
  const isMessages = values.surfaces.includes('anthropic');
  const chatBody = { model, messages, stream: true };
  const messagesBody = { model, max_tokens: 1024, messages };
  const ai = { surface: isChat ? 'chat' : 'messages', model, options: "prompt: 'Hello'," } as const;
  return [
    ...(isChat ? [{ name: 'curl', code: chatCurl(values, 'chat/completions', chatBody) }] : []),
    ...(isMessages ? [{ name: isChat ? 'curl (messages)' : 'curl', code: messagesCurl(values, messagesBody) }] : []),
    ...(isChat
      ? [
          { name: snippetNames.openaiPython, code: openaiPython(values, chatBody) },
          { name: snippetNames.openai, code: openaiProgram(values, chatBody) },
        ]
      : []),
    ...(isMessages
      ? [
          { name: snippetNames.anthropicPython, code: anthropicPython(values, messagesBody) },
          { name: snippetNames.anthropic, code: anthropicProgram(values, messagesBody) },
        ]
      : []),
    { name: snippetNames.ai, code: aiProgram(values, ai) },
    ...(values.surfaces.includes('openai-response') ? responsesSnippets(values) : []),
    ...(isMessages ? [{ name: 'Claude Code', code: claudeCode(values) }] : []),
    { name: 'opencode', code: opencode(values, isChat) },
  ];
}

/** Code samples for the Responses API. */
function responsesSnippets(values: SnippetValues): readonly Snippet[] {
  const { model } = values;
  const body = { model, input: 'Hello', stream: true };
  const ai = { surface: 'responses', model, options: "prompt: 'Hello'," } as const;
  return [
    { name: 'Codex', code: codexConfig(values) },
    { name: 'Responses (Python)', code: openaiPython(values, body, 'responses') },
    { name: 'Responses (TypeScript)', code: openaiProgram(values, body, 'responses') },
    { name: 'AI SDK (Responses)', code: aiProgram(values, ai) },
    { name: 'Agents SDK', code: agents(values) },
  ];
}

const endpointBodies: Readonly<Record<string, readonly [path: string, fields: object]>> = {
  embeddings: ['embeddings', { input: ['first text', 'second text'] }],
  rerank: ['rerank', { query: 'fair queue', documents: ['about queues', 'about cooking'] }],
  moderations: ['moderations', { input: 'Is this all right?' }],
  images: ['images/generations', { prompt: 'a gate by the sea', n: 1 }],
  speech: ['audio/speech', { input: 'Good morning', voice: 'alloy' }],
};

/** Code samples for a model without a chat surface. */
function endpointSnippets(values: SnippetValues): readonly Snippet[] {
  const { model, endpoints = [] } = values;
  return endpoints.map((name) => {
    const [path, fields] = endpointBodies[name] ?? [];
    const code = path
      ? chatCurl(values, path, { model, ...fields })
      : [...curlLines(values, 'audio/transcriptions'), `-F model=${model}`, '-F file=@recording.mp3'].join(' \\\n  ');
    return { name: `curl (${name})`, code };
  });
}

function chatCurl(access: GatewayAccess, path: string, body: object): string {
  return curlProgram(curlLines(access, path), body);
}

function curlLines({ baseUrls, key = '$GATEWAY_KEY' }: GatewayAccess, path: string): readonly string[] {
  return [`curl ${baseUrls.openai}/${path}`, `-H "Authorization: Bearer ${key}"`];
}

function messagesCurl({ baseUrls, key = '$GATEWAY_KEY' }: GatewayAccess, body: object): string {
  const headers = [`-H "x-api-key: ${key}"`, '-H "anthropic-version: 2023-06-01"'];
  return curlProgram([`curl ${baseUrls.anthropic}/v1/messages`, ...headers], body);
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

function agents({ baseUrls, model, key }: SnippetValues): string {
  return `import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI(${clientOptions(baseUrls.openai, key)}));
const agent = new Agent({ name: 'Helper', model: ${sourceText(model)} });
console.log((await run(agent, 'Hello')).finalOutput);`;
}
