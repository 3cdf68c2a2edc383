import { passThroughEndpoints } from 'chat-formats/chat/pass-through-endpoint.ts';
import type { SnippetEndpoint, SnippetRequest } from 'chat-formats/snippets/snippet-request.ts';
import { type SnippetTool, snippet } from 'chat-formats/snippets/snippet.ts';
import type { Balance, BaseUrls, OwnModel } from '../api/wire.ts';
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
  const offers: readonly (readonly [isOffered: boolean, SnippetEndpoint, SnippetTool, api?: string])[] = [
    [isChat, 'chat', 'curl', 'Chat completions'],
    [isMessages, 'messages', 'curl', 'Messages'],
    ...passThroughEndpoints.map((name) => [endpoints.includes(name), name, 'curl', name] as const),
    [isChat, 'chat', 'openai (Python)'],
    [isChat, 'chat', 'openai (TypeScript)'],
    [isResponses, 'responses', 'openai (Python)', 'Responses'],
    [isResponses, 'responses', 'openai (TypeScript)', 'Responses'],
    [isMessages, 'messages', 'anthropic (Python)'],
    [isMessages, 'messages', 'anthropic (TypeScript)'],
    [isChat || isMessages, isChat ? 'chat' : 'messages', 'AI SDK', isChat ? 'Chat completions' : 'Messages'],
    [isResponses, 'responses', 'AI SDK', 'Responses'],
    [isResponses, 'responses', 'Agents SDK'],
    [isMessages, 'messages', 'Claude Code'],
    [isResponses, 'responses', 'Codex'],
    [isChat || isMessages, isChat ? 'chat' : 'messages', 'opencode'],
  ];
  return offers.flatMap(([isOffered, endpoint, tool, api]) =>
    isOffered ? [codeSnippet(tool, access, { endpoint, model }, api)] : [],
  );
}

/** The client of a tool, and its language if the client has several. */
const clients: Readonly<Record<SnippetTool, readonly [client: string, language?: string]>> = {
  curl: ['curl'],
  'openai (Python)': ['OpenAI SDK', 'Python'],
  'openai (TypeScript)': ['OpenAI SDK', 'TypeScript'],
  'anthropic (Python)': ['Anthropic SDK', 'Python'],
  'anthropic (TypeScript)': ['Anthropic SDK', 'TypeScript'],
  'AI SDK': ['AI SDK'],
  'Agents SDK': ['Agents SDK'],
  'Claude Code': ['Claude Code'],
  Codex: ['Codex'],
  opencode: ['opencode'],
};

/** Code for one client. The choice of the client and its language is remembered on all pages. */
export function codeSnippet(
  tool: SnippetTool,
  { baseUrls, key }: GatewayAccess,
  request: Omit<SnippetRequest, 'baseUrl' | 'key'>,
  api?: string,
): Snippet {
  const baseUrl = request.endpoint === 'messages' ? baseUrls.anthropic : baseUrls.openai;
  const [name, language] = clients[tool];
  const variant = [language, api].filter(Boolean).join(', ');
  return { name, ...(variant !== '' && { variant }), code: snippet(tool, { ...request, baseUrl, key }) };
}

/** A model that will answer: a free one if the account has no credit. */
export function exampleOf(models: readonly OwnModel[], balance: Balance | undefined): OwnModel | undefined {
  const hasCredit = Number(balance?.total ?? 0) > 0;
  return (hasCredit ? undefined : models.find(({ price }) => price.is_free)) ?? models[0];
}
