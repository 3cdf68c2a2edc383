import type { ChatRequest } from '../../chat/chat-request.ts';
import { budgetOf, effortOf } from '../../effort.ts';
import type { WireObject } from '../../wire-value.ts';
import type { RequestEncoding } from '../../translate.ts';
import type { EncodedTurn } from './encode-turns.ts';

interface ThinkingEncoding extends Pick<RequestEncoding, 'thinkingCapable'> {
  readonly thinkingStyle: 'budget' | 'adaptive' | 'none';
  /** The cap sent to the provider: reasoning counts against it. */
  readonly maxTokens: number;
  readonly turns: readonly EncodedTurn[];
}

interface EncodedThinking {
  readonly thinking?: WireObject | undefined;
  readonly effort?: string | undefined;
}

const disabled = { type: 'disabled' };

/** The minimum of the format. */
const budgetMin = 1024;

/** If the format forbids reasoning for this request, a client's setting is sent anyway, but not the default. */
export function encodeThinking(request: ChatRequest, encoding: ThinkingEncoding): EncodedThinking {
  const { thinkingCapable, thinkingStyle } = encoding;
  if (thinkingStyle === 'none') return {};
  const isAdaptive = thinkingStyle === 'adaptive';
  if (request.thinking === 'disabled') return { thinking: disabled, effort: isAdaptive ? request.effort : undefined };
  const isRequested = request.thinking === 'enabled' || (thinkingCapable && request.effort !== undefined);
  const isEnabled = isRequested || (thinkingCapable && !isConflicting(request));
  if (!isAdaptive) return isEnabled ? { thinking: withBudget(request, encoding, isRequested) } : {};
  const effort = thinkingCapable && isEnabled ? effortFor(request) : request.effort;
  return { thinking: isEnabled ? { type: 'adaptive' } : undefined, effort };
}

/** With reasoning, the format forbids non-default sampling, a forced tool call and a prefilled answer. */
function isConflicting({ temperature, topP, topK, toolChoice, messages }: ChatRequest): boolean {
  const isSampled = (temperature ?? 1) !== 1 || (topP ?? 1) !== 1 || topK !== undefined;
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  return isSampled || isForced || messages.at(-1)?.role === 'assistant';
}

function effortFor(request: ChatRequest): NonNullable<ChatRequest['effort']> {
  const { effort, thinkingBudget, defaultEffort } = request;
  return effort ?? (thinkingBudget === undefined ? (defaultEffort ?? 'high') : effortOf(thinkingBudget));
}

function withBudget(request: ChatRequest, { maxTokens, turns }: ThinkingEncoding, isRequested: boolean) {
  if (isUnsignedToolLoop(turns)) return disabled;
  // A default budget leaves a quarter of the cap to the answer. A client's budget only has to fit.
  const clientBudget = request.thinkingBudget;
  const target = clientBudget ?? Math.min(budgetOf[effortFor(request)], Math.floor((maxTokens * 3) / 4));
  if (isRequested) {
    const budget = Math.min(Math.max(target, budgetMin), maxTokens - 1);
    return budget < budgetMin ? disabled : { type: 'enabled', budget_tokens: budget };
  }
  return target < budgetMin ? undefined : { type: 'enabled', budget_tokens: target };
}

/**
 * Whether the conversation is within tool calls that began without signed reasoning, from another model or without
 * reasoning. A provider with the budget style rejects reasoning there, so it stays off until the next user message.
 * Providers with the adaptive style accept such messages.
 */
function isUnsignedToolLoop(turns: readonly EncodedTurn[]): boolean {
  let first: EncodedTurn | undefined;
  for (let at = turns.length - 1; has(turns[at], ['tool_result']); at -= 2) first = turns[at - 1] ?? first;
  return first !== undefined && !has(first, ['thinking', 'redacted_thinking']);
}

function has(turn: EncodedTurn | undefined, types: readonly string[]): boolean {
  return turn?.content.some(({ type }) => type !== undefined && types.includes(type)) ?? false;
}
