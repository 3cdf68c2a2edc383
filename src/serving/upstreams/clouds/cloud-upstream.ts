import { messagesCompatible, type MessagesEndpoint } from '../adapters/messages-compatible.ts';
import { OpenAiCompatible } from '../adapters/openai-compatible.ts';
import { type LinkDeps, providerLink } from '../provider-link.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';
import type { Upstream } from '../upstream.ts';
import { bedrockClaude, vertexClaude } from './claude-endpoint.ts';

interface CloudEndpoints {
  /** The base path of the chat-completions endpoint. */
  readonly chatPath: string;
  /** The model's name on that endpoint. */
  readonly chatModel: (model: string) => string;
  readonly claude: (spec: ResolvedUpstream) => MessagesEndpoint;
}

const bedrock: CloudEndpoints = { chatPath: '/openai/v1', chatModel: String, claude: bedrockClaude };

const vertex: CloudEndpoints = {
  chatPath: '/endpoints/openapi',
  // The endpoint serves the models of several publishers.
  chatModel: (model) => (model.includes('/') ? model : `google/${model}`),
  claude: vertexClaude,
};

/** A cloud that serves Claude in the messages format and other models in the chat-completions format. */
export function cloudUpstream(spec: ResolvedUpstream, kind: string, deps: LinkDeps): Upstream {
  const { chatPath, chatModel, claude: claudeOf } = kind === 'vertex' ? vertex : bedrock;
  const link = providerLink(spec, deps);
  const chat = new OpenAiCompatible({ ...spec, baseUrl: withPath(spec.baseUrl, chatPath) }, deps, link);
  const claude = messagesCompatible(spec, deps, claudeOf(spec), link);
  const inChat = <Call extends { readonly model: string }>(call: Call): Call => ({
    ...call,
    model: chatModel(call.model),
  });
  return {
    name: spec.name,
    credentials: chat.credentials,
    keeps: chat.keeps,
    reportsSent: true,
    open: (call, signal) => (isClaude(call.model) ? claude.open(call, signal) : chat.open(inChat(call), signal)),
    ready: (call) => (isClaude(call.model) ? undefined : chat.ready(inChat(call))),
    countTokens: async (call, signal) => (isClaude(call.model) ? claude.countTokens?.(call, signal) : undefined),
    pass: (call, signal) => chat.pass(inChat(call), signal),
    close: () => link.pools.close(),
  };
}

/** By its name. The ARN of an inference profile does not contain it, and is taken for Claude. */
function isClaude(model: string): boolean {
  return /claude|anthropic/i.test(model) || model.startsWith('arn:');
}

/** Keeps the query of the address. */
function withPath(baseUrl: string, path: string): string {
  const address = new URL(baseUrl);
  address.pathname = address.pathname.replace(/\/+$/, '') + path;
  return address.href;
}
