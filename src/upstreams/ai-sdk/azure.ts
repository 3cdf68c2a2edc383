import type { BridgeKind } from './bridge-kind.ts';
import { effortWord } from './thinking-request.ts';

/** Azure OpenAI, through its chat-completions API, which is stateless and supports deployments of every model. */
export const azure: BridgeKind = {
  namespace: 'openai',
  async load({ baseUrl, resourceName = '', apiVersion, headers }) {
    const { createAzure } = await import('@ai-sdk/azure');
    // Versions with a date use the older addresses that contain the deployment.
    const useDeploymentBasedUrls = apiVersion !== undefined && /^\d/.test(apiVersion);
    const address = { baseURL: baseUrl, resourceName, apiVersion, useDeploymentBasedUrls };
    return ({ model, apiKey = '', fetch }) =>
      createAzure({ ...address, apiKey, headers: headers ?? {}, fetch }).chat(model);
  },
  hasSystemBlocks: false,
  media: { addresses: ['image'], pdf: true, textDocument: 'words', audio: /^audio\/(wav|mp3|mpeg)$/, ofTools: 'after' },
  temperatureMax: 2,
  stopMax: 4,
  maxTokens: true,
  hasErrorResults: false,
  replaysReasoning: 'none',
  settings({ request, thinking }, { mode, effort }, maxCompletionTokens) {
    const format = typeof request.answerFormat === 'object' ? request.answerFormat : undefined;
    const reasoningEffort = mode === 'disabled' ? 'none' : effortWord(effort);
    const options = {
      maxCompletionTokens,
      // A deployment may have any name, so the catalog decides whether it can reason.
      forceReasoning: thinking || undefined,
      reasoningEffort,
      parallelToolCalls: request.tools.length > 0 ? request.parallelToolCalls : undefined,
      user: request.userId,
      strictJsonSchema: format && (format.strict ?? false),
    };
    return { providerOptions: { openai: withoutUndefined(options) } };
  },
  inexpressible: ({ request }) => (request.topK === undefined ? [] : ['top_k']),
};

/** Removes undefined values, because options are JSON. */
function withoutUndefined<Value>(options: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const entries = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(entries) as Record<string, Value>;
}
