import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isObject, listOf, objectOf, nonEmptyString, parsedJson } from '../../dialects/wire-value.ts';
import type { BridgeKind } from './bridge-kind.ts';

/** Cohere, through version 2 of its chat API. */
export const cohere: BridgeKind = {
  namespace: 'cohere',
  async load({ baseUrl, headers }) {
    const { createCohere } = await import('@ai-sdk/cohere');
    return ({ model, apiKey = '', fetch }) =>
      createCohere({ baseURL: baseUrl, apiKey, headers: headers ?? {}, fetch })(model);
  },
  hasSystemBlocks: false,
  media: { addresses: ['image'], pdf: false, textDocument: 'file', audio: undefined, ofTools: 'after' },
  temperatureMax: 1,
  stopMax: 5,
  hasErrorResults: false,
  replaysReasoning: 'none',
  settings: (_call, { mode, budget }, maxOutputTokens) => ({
    maxOutputTokens,
    ...(mode && {
      providerOptions: { cohere: { thinking: { type: mode, ...(budget !== undefined && { tokenBudget: budget }) } } },
    }),
  }),
  inexpressible: ({ request }) =>
    request.parallelToolCalls === false && request.tools.length > 0 ? ['parallel_tool_calls'] : [],
  readRaw(value) {
    const event = objectOf(value);
    if (event?.type !== 'tool-plan-delta') return [];
    const text = nonEmptyString(objectOf(objectOf(event.delta)?.message)?.tool_plan);
    return text === undefined ? [] : [{ type: 'text-delta', choice: 0, text }];
  },
  rewriteBody: withToolPlans,
};

/** Cohere calls text next to tool calls a plan. The package does not support plans. */
function withToolPlans(text: string, prompt: LanguageModelV4CallOptions['prompt']): string {
  const plans = prompt.flatMap((message) =>
    message.role === 'assistant'
      ? [message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
      : [],
  );
  if (plans.every((plan) => plan === '')) return text;
  const body = objectOf(parsedJson(text)) ?? {};
  const messages = listOf(body.messages).map((message) => {
    if (!isObject(message) || message.role !== 'assistant') return message;
    const plan = plans.shift() ?? '';
    return message.tool_calls === undefined || plan === '' ? message : { ...message, tool_plan: plan };
  });
  return JSON.stringify({ ...body, messages });
}
