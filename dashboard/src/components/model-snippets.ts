import { passThroughEndpoints } from '../../../src/core/chat/pass-through-endpoint.ts';
import type { SnippetEndpoint, SnippetRequest } from '../../../src/core/snippets/snippet-request.ts';
import { type SnippetTool, snippet } from '../../../src/core/snippets/snippet.ts';
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
  const tabs: readonly (readonly [isOffered: boolean, SnippetEndpoint, SnippetTool, name?: string])[] = [
    [isChat, 'chat', 'curl'],
    [isMessages, 'messages', 'curl', isChat ? 'curl (messages)' : 'curl'],
    [isChat, 'chat', 'openai (Python)'],
    [isChat, 'chat', 'openai (TypeScript)'],
    [isMessages, 'messages', 'anthropic (Python)'],
    [isMessages, 'messages', 'anthropic (TypeScript)'],
    [isChat || isMessages, isChat ? 'chat' : 'messages', 'AI SDK'],
    [isResponses, 'responses', 'Codex'],
    [isResponses, 'responses', 'openai (Python)', 'Responses (Python)'],
    [isResponses, 'responses', 'openai (TypeScript)', 'Responses (TypeScript)'],
    [isResponses, 'responses', 'AI SDK', 'AI SDK (Responses)'],
    [isResponses, 'responses', 'Agents SDK'],
    [isMessages, 'messages', 'Claude Code'],
    [isChat || isMessages, isChat ? 'chat' : 'messages', 'opencode'],
    ...passThroughEndpoints.map((name) => [endpoints.includes(name), name, 'curl', `curl (${name})`] as const),
  ];
  return tabs.flatMap(([isOffered, endpoint, tool, name]) =>
    isOffered ? [codeTab(tool, access, { endpoint, model }, name)] : [],
  );
}

/** One tab of code. The chosen tab is remembered by its name on all pages. */
export function codeTab(
  tool: SnippetTool,
  { baseUrls, key }: GatewayAccess,
  request: Omit<SnippetRequest, 'baseUrl' | 'key'>,
  name: string = tool,
): Snippet {
  const baseUrl = request.endpoint === 'messages' ? baseUrls.anthropic : baseUrls.openai;
  return { name, code: snippet(tool, { ...request, baseUrl, key }) };
}

/** A model that will answer: a free one if the account has no credit. */
export function exampleOf(models: readonly OwnModel[], balance: Balance | undefined): OwnModel | undefined {
  const hasCredit = Number(balance?.total ?? 0) > 0;
  return (hasCredit ? undefined : models.find(({ price }) => price.is_free)) ?? models[0];
}
