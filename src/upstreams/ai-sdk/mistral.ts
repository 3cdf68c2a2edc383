import { createHash } from 'node:crypto';
import type { BridgeKind } from './bridge-kind.ts';
import { effortWord } from './thinking-request.ts';

/** Mistral, through its own chat API, which has reasoning as parts of the content. */
export const mistral: BridgeKind = {
  namespace: 'mistral',
  async load({ baseUrl, headers }) {
    const { createMistral } = await import('@ai-sdk/mistral');
    return ({ model, apiKey = '', fetch }) =>
      createMistral({ baseURL: baseUrl, apiKey, headers: headers ?? {}, fetch })(model);
  },
  hasSystemBlocks: false,
  media: { addresses: ['image', 'document'], pdf: true, textDocument: 'words', audio: undefined, ofTools: 'none' },
  temperatureMax: 1.5,
  hasErrorResults: false,
  replaysReasoning: 'all',
  // This provider requires ids of nine letters and digits. Ids of other providers have other forms.
  toolId: (id) => (/^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)),
  settings({ request }, { mode, effort }, maxOutputTokens) {
    const format = typeof request.answerFormat === 'object' ? request.answerFormat : undefined;
    const options = {
      ...(request.parallelToolCalls !== undefined && { parallelToolCalls: request.parallelToolCalls }),
      ...(format?.strict !== undefined && { strictJsonSchema: format.strict }),
    };
    return {
      maxOutputTokens,
      reasoning: mode === 'disabled' ? 'none' : effortWord(effort),
      providerOptions: { mistral: options },
    };
  },
  inexpressible: ({ request }) => (request.topK === undefined ? [] : ['top_k']),
};
