import type { Message } from '../../core/message.ts';
import { messagesThinkingStyle } from '../messages-thinking-style.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind, KindSettings } from './bridge-kind.ts';
import { effortWord, type ThinkingWish } from './thinking-wish.ts';

/** Amazon Bedrock, through its Converse API. */
export const bedrock: BridgeKind = {
  namespace: 'amazonBedrock',
  async load({ region = '', baseUrl, accessKeyId, secretAccessKey, sessionToken, headers }) {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const credentials = { accessKeyId, secretAccessKey, sessionToken };
    // Everything is said, so that the package looks for nothing in the environment: an empty key means to sign.
    return ({ model, apiKey = '', fetch }) =>
      createAmazonBedrock({
        region,
        baseURL: baseUrl ?? addressIn(region),
        apiKey,
        ...credentials,
        headers: headers ?? {},
        fetch,
      })(model);
  },
  hasSystemBlocks: true,
  media: {
    imageUrl: false,
    pdf: true,
    pdfUrl: false,
    textDocument: 'file',
    audio: undefined,
    inToolResults: true,
  },
  proofField: 'signature',
  replaysThoughts: 'signed',
  cacheMark: (life) => ({
    amazonBedrock: { cachePoint: { type: 'default', ...(life === '1h' && { ttl: life }) } },
  }),
  settings(call, wish, maxTokens) {
    const { reasoning, maxOutputTokens, providerOptions } = thinkingSettings(call, wish, maxTokens);
    const isSerial = call.request.parallelToolCalls === false && isClaude(call.model);
    return {
      reasoning,
      maxOutputTokens,
      providerOptions: { ...providerOptions, ...(isSerial && { anthropic: { disableParallelToolUse: true } }) },
    };
  },
  inexpressible: ({ model, request }) => [
    ...(request.parallelToolCalls === false && request.tools.length > 0 && !isClaude(model)
      ? ['parallel_tool_calls']
      : []),
    ...(request.answerFormat === 'json' ? ['response_format.type'] : []),
  ],
};

/** Where the service of a region lives. */
function addressIn(region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://bedrock-runtime.${region}.${domain}`;
}

function isClaude(model: string): boolean {
  return /anthropic|claude/i.test(model);
}

function thinkingSettings(call: UpstreamCall, wish: ThinkingWish, cap: number | undefined): KindSettings {
  if (wish.mode === undefined) return { maxOutputTokens: cap };
  if (wish.mode === 'disabled') return { reasoning: 'none', maxOutputTokens: cap };
  if (!isClaude(call.model)) return { reasoning: effortWord(wish.effort), maxOutputTokens: cap };
  if (!wish.isExplicit && isForced(call)) return { maxOutputTokens: cap };
  if (messagesThinkingStyle(call.model) === 'adaptive') {
    const reasoningConfig = { type: 'adaptive', maxReasoningEffort: wish.effort ?? 'high' };
    return { maxOutputTokens: cap, providerOptions: { amazonBedrock: { reasoningConfig } } };
  }
  const budgetTokens = budgetWithin(wish, cap);
  if (budgetTokens === undefined || lacksProof(call.request.messages)) return { maxOutputTokens: cap };
  return {
    // The package adds the budget to the cap; the client's cap is for both.
    maxOutputTokens: cap === undefined ? undefined : cap - budgetTokens,
    providerOptions: { amazonBedrock: { reasoningConfig: { type: 'enabled', budgetTokens } } },
  };
}

/** A model that must call a tool may not think. */
function isForced({ request: { toolChoice } }: UpstreamCall): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object';
}

const budgetTokensMin = 1024;
const budgets = { high: 16_000, max: 32_000 } as const;

/** Leaves at least a fifth of the cap to the answer; a cap too small for that leaves no room to think. */
function budgetWithin({ budget, effort = 'high' }: ThinkingWish, cap: number | undefined): number | undefined {
  const wished = budget ?? budgets[effort];
  const most = cap === undefined ? wished : Math.floor(cap * 0.8);
  return most < budgetTokensMin ? undefined : Math.max(budgetTokensMin, Math.min(wished, most));
}

/** A thinking model refuses to go on from a tool call whose thoughts it cannot verify. */
function lacksProof(messages: readonly Message[]): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant' || role === 'user');
  if (last?.role !== 'assistant' || !last.content.some(({ type }) => type === 'tool-call')) return false;
  return !last.content.some(
    (part) => part.type === 'redacted-reasoning' || (part.type === 'reasoning' && part.signature !== undefined),
  );
}
