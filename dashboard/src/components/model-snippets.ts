import { passThroughEndpoints } from '../../../src/core/pass-through-endpoint.ts';
import type { SnippetEndpoint, SnippetRequest } from '../../../src/core/snippets/snippet-request.ts';
import { type SnippetTool, snippet } from '../../../src/core/snippets/snippet.ts';
import type { BaseUrls } from '../api/wire.ts';
import type { Snippet } from './code-block.tsx';

/** The addresses of the gateway, and the key. Without a key, programs read it from `GATEWAY_KEY`. */
interface GatewayAccess {
  readonly baseUrls: BaseUrls;
  readonly key?: string | undefined;
}

interface ModelAccess extends GatewayAccess {
  readonly model: string;
  readonly surfaces: readonly string[];
  readonly endpoints?: readonly string[];
}

/** Code samples for one model, for the surfaces that it has. */
export function snippetsOf({ model, surfaces, endpoints = [], ...access }: ModelAccess): readonly Snippet[] {
  const isChat = surfaces.includes('openai');
  const isMessages = surfaces.includes('anthropic');
  const isResponses = surfaces.includes('openai-response');
  const tabs: readonly (readonly [isOffered: boolean, SnippetEndpoint, SnippetTool, name?: string])[] = [
    [isChat, 'chat', 'curl'],
    [isMessages, 'messages', 'curl', isChat ? 'curl (messages)' : 'curl'],
    [isChat, 'chat', 'openai-python'],
    [isChat, 'chat', 'openai-typescript'],
    [isMessages, 'messages', 'anthropic-python'],
    [isMessages, 'messages', 'anthropic-typescript'],
    [isChat || isMessages, isChat ? 'chat' : 'messages', 'ai-sdk'],
    [isResponses, 'responses', 'codex'],
    [isResponses, 'responses', 'openai-python', 'Responses (Python)'],
    [isResponses, 'responses', 'openai-typescript', 'Responses (TypeScript)'],
    [isResponses, 'responses', 'ai-sdk', 'AI SDK (Responses)'],
    [isResponses, 'responses', 'agents-sdk'],
    [isMessages, 'messages', 'claude-code'],
    [isChat || isMessages, isChat ? 'chat' : 'messages', 'opencode'],
    ...passThroughEndpoints.map((name) => [endpoints.includes(name), name, 'curl', `curl (${name})`] as const),
  ];
  return tabs.flatMap(([isOffered, endpoint, tool, name]) =>
    isOffered ? [codeTab(tool, access, { endpoint, model }, name)] : [],
  );
}

/** The name of a tab. The chosen tab is remembered by its name on all pages. */
const tabNames: Readonly<Record<SnippetTool, string>> = {
  curl: 'curl',
  'openai-typescript': 'openai (TypeScript)',
  'openai-python': 'openai (Python)',
  'anthropic-typescript': 'anthropic (TypeScript)',
  'anthropic-python': 'anthropic (Python)',
  'ai-sdk': 'AI SDK',
  'agents-sdk': 'Agents SDK',
  'claude-code': 'Claude Code',
  codex: 'Codex',
  opencode: 'opencode',
};

/** One tab of code. */
export function codeTab(
  tool: SnippetTool,
  { baseUrls, key }: GatewayAccess,
  request: Omit<SnippetRequest, 'baseUrl' | 'key'>,
  name = tabNames[tool],
): Snippet {
  const baseUrl = request.endpoint === 'messages' ? baseUrls.anthropic : baseUrls.openai;
  return { name, code: snippet(tool, { ...request, baseUrl, key }) };
}
