import { createHash } from 'node:crypto';
import type { Message } from '../../core/chat/message.ts';
import { budgetOf, effortOf } from '../../dialects/effort.ts';
import { messagesThinkingStyle } from '../adapters/messages-thinking-style.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind, KindSettings } from './bridge-kind.ts';
import { effortWord, type ThinkingRequest } from './thinking-request.ts';

export const bedrock: BridgeKind = {
  namespace: 'amazonBedrock',
  async load({ region = '', baseUrl, accessKeyId, secretAccessKey, sessionToken, headers }) {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const credentials = { accessKeyId, secretAccessKey, sessionToken };
    // All options are set, so that the package reads nothing from the environment. With an empty key it signs requests.
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
  contentType: 'application/vnd.amazon.eventstream',
  hasSystemBlocks: true,
  media: { addresses: [], pdf: true, textDocument: 'file', audio: undefined, ofTools: 'inside' },
  proofField: 'signature',
  temperatureMax: 1,
  maxTokens: true,
  hasErrorResults: false,
  replaysReasoning: 'signed',
  toolId: (id) => (/^[\w-]{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')),
  cacheMark: (life) => ({
    amazonBedrock: { cachePoint: { type: 'default', ...(life === '1h' && { ttl: life }) } },
  }),
  settings(call, thinking, maxTokens) {
    const { reasoning, maxOutputTokens, providerOptions } = thinkingSettings(call, thinking, maxTokens);
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

function addressIn(region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://bedrock-runtime.${region}.${domain}`;
}

function isClaude(model: string): boolean {
  return /anthropic|claude/i.test(model);
}

function thinkingSettings(call: UpstreamCall, thinking: ThinkingRequest, cap: number | undefined): KindSettings {
  if (thinking.mode === undefined) return { maxOutputTokens: cap };
  if (thinking.mode === 'disabled') return { reasoning: 'none', maxOutputTokens: cap };
  if (!isClaude(call.model)) return { reasoning: effortWord(thinking.effort), maxOutputTokens: cap };
  if (!thinking.isExplicit && hasReasoningConflict(call)) return { maxOutputTokens: cap };
  if (messagesThinkingStyle(call.model) === 'adaptive') {
    const reasoningConfig = { type: 'adaptive', maxReasoningEffort: thinking.effort ?? effortOf(thinking.budget ?? 0) };
    return { maxOutputTokens: cap, providerOptions: { amazonBedrock: { reasoningConfig } } };
  }
  const budgetTokens = budgetWithin(thinking, cap);
  if (budgetTokens === undefined || isUnsignedLoop(call.request.messages)) return { maxOutputTokens: cap };
  return {
    // The package adds the budget to the cap, but the client's cap covers both.
    maxOutputTokens: cap === undefined ? undefined : cap - budgetTokens,
    providerOptions: { amazonBedrock: { reasoningConfig: { type: 'enabled', budgetTokens } } },
  };
}

/** With reasoning, Claude accepts no custom sampling, no forced tool call and no prefilled answer. */
function hasReasoningConflict({ request: { temperature, topP, topK, toolChoice, messages } }: UpstreamCall): boolean {
  const isSampled = (temperature ?? 1) !== 1 || (topP ?? 1) !== 1 || topK !== undefined;
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  return isSampled || isForced || messages.at(-1)?.role === 'assistant';
}

const budgetTokensMin = 1024;

/** A default budget leaves a quarter of the cap for the answer. Undefined if the cap is below the minimum budget. */
function budgetWithin(thinking: ThinkingRequest, cap = Number.MAX_SAFE_INTEGER): number | undefined {
  const { budget, effort = 'high', isExplicit } = thinking;
  const wanted = budget ?? Math.min(budgetOf[effort], Math.floor((cap * 3) / 4));
  if (!isExplicit && wanted < budgetTokensMin) return undefined;
  const fitting = Math.min(Math.max(wanted, budgetTokensMin), cap - 1);
  return fitting < budgetTokensMin ? undefined : fitting;
}

/** A Claude model with a reasoning budget refuses to continue tool calls that began without reasoning it can verify. */
function isUnsignedLoop(messages: readonly Message[]): boolean {
  const begin = messages.findLastIndex(({ role }) => role === 'user' || role === 'system') + 1;
  const first = messages.slice(begin).find(({ role }) => role === 'assistant');
  if (first?.role !== 'assistant' || messages.at(-1)?.role !== 'tool') return false;
  return !first.content.some(
    (part) => part.type === 'redacted-reasoning' || (part.type === 'reasoning' && part.signature !== undefined),
  );
}
