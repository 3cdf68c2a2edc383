import { json, literal, shellQuoted, shellWord } from './literal.ts';
import { agentsSdk, aiSdk, anthropicPython, anthropicTypescript, openaiPython, openaiTypescript } from './programs.ts';
import { type SnippetRequest, type SnippetValues, withDefaults } from './snippet-request.ts';

/** Tools by the names that readers see. */
export type SnippetTool = keyof typeof tools;

/** Code to copy: a request with a tool, or the settings of a coding agent. All pages, commands and docs use it. */
export function snippet(tool: SnippetTool, request: SnippetRequest): string {
  return tools[tool](withDefaults(request));
}

const tools = {
  curl,
  'openai (TypeScript)': openaiTypescript,
  'openai (Python)': openaiPython,
  'anthropic (TypeScript)': anthropicTypescript,
  'anthropic (Python)': anthropicPython,
  'AI SDK': aiSdk,
  'Agents SDK': agentsSdk,
  'Claude Code': claudeCode,
  Codex: codex,
  opencode,
} as const satisfies Readonly<Record<string, (values: SnippetValues) => string>>;

function curl(values: SnippetValues): string {
  const { endpoint, url, key = '$GATEWAY_KEY', fields, isOneLine } = values;
  const headers =
    endpoint === 'messages'
      ? [`-H "x-api-key: ${key}"`, '-H "anthropic-version: 2023-06-01"']
      : [`-H "Authorization: Bearer ${key}"`];
  // Without -N, curl shows a stream in large pieces.
  const command = fields['stream'] === true ? 'curl -N' : 'curl';
  return [`${command} ${url}`, ...headers, ...curlData(values)].join(isOneLine ? ' ' : ' \\\n  ');
}

function curlData({ endpoint, model, fields, isOneLine }: SnippetValues): readonly string[] {
  if (endpoint === 'models') return [];
  if (endpoint === 'transcriptions') return [`-F ${shellWord(`model=${model}`)}`, '-F file=@recording.mp3'];
  const data = isOneLine ? JSON.stringify(fields) : literal(fields, json, '  ', 0);
  return ['-H "Content-Type: application/json"', `-d ${shellQuoted(data)}`];
}

function claudeCode({ baseUrl, key, model }: SnippetValues): string {
  const name = shellWord(model);
  return `export ANTHROPIC_BASE_URL=${shellWord(baseUrl)}
export ANTHROPIC_API_KEY=${key === undefined ? '"$GATEWAY_KEY"' : shellWord(key)}
export ANTHROPIC_SMALL_FAST_MODEL=${name}
claude --model ${name}`;
}

/** For `~/.codex/config.toml`. The key stays in the environment. */
function codex({ baseUrl, model }: SnippetValues): string {
  return `# ~/.codex/config.toml, with the key in GATEWAY_KEY
model = ${JSON.stringify(model)}
model_provider = "gateway"

[model_providers.gateway]
name = "Chat Gateway"
base_url = ${JSON.stringify(baseUrl)}
env_key = "GATEWAY_KEY"
wire_api = "responses"
model_catalog_url = ${JSON.stringify(`${baseUrl}/models`)}

[features]
api_key_model_discovery = true`;
}

/** For `opencode.json`, which reads environment variables itself. */
function opencode({ endpoint, baseUrl, key = '{env:GATEWAY_KEY}', model, limits }: SnippetValues): string {
  const [npm, baseURL] =
    endpoint === 'messages' ? ['@ai-sdk/anthropic', `${baseUrl}/v1`] : ['@ai-sdk/openai-compatible', baseUrl];
  const limit = limits && { context: limits.contextWindow, output: limits.outputTokens };
  const gateway = { npm, options: { baseURL, apiKey: key }, models: { [model]: { name: model, limit } } };
  const settings = { $schema: 'https://opencode.ai/config.json', provider: { gateway }, model: `gateway/${model}` };
  return JSON.stringify(settings, null, 2);
}
