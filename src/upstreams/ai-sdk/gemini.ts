import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind, KindSettings } from './bridge-kind.ts';
import { effortWord, type ThinkingRequest } from './thinking-request.ts';

type GeminiOptions = SharedV4ProviderOptions[string];

export const google: BridgeKind = {
  ...geminiKind('google'),
  async load({ baseUrl, headers }) {
    const { createGoogle } = await import('@ai-sdk/google');
    return ({ model, apiKey = '', fetch }) =>
      createGoogle({ baseURL: baseUrl, apiKey, headers: headers ?? {}, fetch })(model);
  },
};

/** Gemini in a Google Cloud project. The upstream's own `fetch` adds the token of a service account. */
export const vertex: BridgeKind = {
  ...geminiKind('googleVertex'),
  async load({ baseUrl, project, location, headers }) {
    // This entry point does not use Google's authentication library, which would open network connections of its own.
    const { createGoogleVertex } = await import('@ai-sdk/google-vertex/edge');
    const address = project === undefined ? undefined : addressIn(project, location ?? 'global');
    return ({ model, apiKey = 'none', fetch }) =>
      createGoogleVertex({ baseURL: baseUrl ?? address, apiKey, headers: headers ?? {}, fetch })(model);
  },
};

function geminiKind(namespace: string): Omit<BridgeKind, 'load'> {
  return {
    namespace,
    hasSystemBlocks: true,
    media: {
      addresses: ['image', 'document', 'audio'],
      pdf: true,
      textDocument: 'file',
      audio: /^audio\//,
      ofTools: 'inside',
    },
    proofField: 'thoughtSignature',
    temperatureMax: 2,
    stopMax: 5,
    maxTokens: true,
    hasErrorResults: namespace === 'google',
    replaysReasoning: 'all',
    settings: (_call, thinking, maxOutputTokens) => ({ maxOutputTokens, ...thinkingSettings(thinking, namespace) }),
    inexpressible: ({ request }: UpstreamCall) =>
      request.parallelToolCalls === false && request.tools.length > 0 ? ['parallel_tool_calls'] : [],
  };
}

/** The address of a project's models. Continents and `global` have their own hosts. */
function addressIn(project: string, location: string): string {
  const host =
    location === 'global'
      ? 'aiplatform.googleapis.com'
      : location === 'eu' || location === 'us'
        ? `aiplatform.${location}.rep.googleapis.com`
        : `${location}-aiplatform.googleapis.com`;
  return `https://${host}/v1beta1/projects/${project}/locations/${location}/publishers/google`;
}

function thinkingSettings({ mode, effort, budget }: ThinkingRequest, namespace: string): KindSettings {
  if (mode === undefined) return {};
  if (mode === 'disabled') return { reasoning: 'none' };
  const thinkingConfig: GeminiOptions = {
    includeThoughts: true,
    ...(budget !== undefined && { thinkingBudget: budget }),
  };
  return { reasoning: effortWord(effort), providerOptions: { [namespace]: { thinkingConfig } } };
}
