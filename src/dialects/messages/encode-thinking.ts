import type { ChatRequest } from '../../core/chat-request.ts';
import { budgetOf, effortOf } from '../thinking-budget.ts';
import type { WireObject } from '../wire-value.ts';
import type { EncodedTurn } from './encode-turns.ts';

export interface ThinkingEncoding {
  readonly thinkingCapable: boolean;
  readonly thinkingStyle: 'budget' | 'adaptive' | 'none';
  /** The cap that goes up: thoughts count against it. */
  readonly maxTokens: number;
  readonly turns: readonly EncodedTurn[];
}

export interface EncodedThinking {
  readonly thinking?: WireObject | undefined;
  readonly effort?: string | undefined;
}

const disabled = { type: 'disabled' };

/** The least the format takes. */
const budgetMin = 1024;

/** What goes up about thinking. What the client says always does; the default gives way to what the format forbids. */
export function encodeThinking(request: ChatRequest, encoding: ThinkingEncoding): EncodedThinking {
  const { thinkingCapable, thinkingStyle } = encoding;
  if (thinkingStyle === 'none') return {};
  const isAdaptive = thinkingStyle === 'adaptive';
  if (request.thinking === 'disabled') return { thinking: disabled, effort: isAdaptive ? request.effort : undefined };
  const isAsked = request.thinking === 'enabled' || (thinkingCapable && request.effort !== undefined);
  const isWanted = isAsked || (thinkingCapable && !isAtOdds(request));
  if (!isAdaptive) return isWanted ? { thinking: withBudget(request, encoding, isAsked) } : {};
  const effort = thinkingCapable && isWanted ? wantedEffort(request) : request.effort;
  return { thinking: isWanted ? { type: 'adaptive' } : undefined, effort };
}

/** With thinking, the format forbids other sampling than its own, a forced call and a begun answer. */
function isAtOdds({ temperature, topP, topK, toolChoice, messages }: ChatRequest): boolean {
  const isSampled = (temperature ?? 1) !== 1 || (topP ?? 1) !== 1 || topK !== undefined;
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  return isSampled || isForced || messages.at(-1)?.role === 'assistant';
}

function wantedEffort(request: ChatRequest): NonNullable<ChatRequest['effort']> {
  const { effort, thinkingBudget, defaultEffort } = request;
  return effort ?? (thinkingBudget === undefined ? (defaultEffort ?? 'high') : effortOf(thinkingBudget));
}

function withBudget(
  request: ChatRequest,
  { maxTokens, turns }: ThinkingEncoding,
  isAsked: boolean,
): WireObject | undefined {
  if (isUnprovenLoop(turns)) return disabled;
  // A budget of our own choosing leaves a quarter of the cap to the answer; the client's own only has to fit.
  const own = request.thinkingBudget;
  const wanted = own ?? Math.min(budgetOf[wantedEffort(request)], Math.floor((maxTokens * 3) / 4));
  if (isAsked) {
    const budget = Math.min(Math.max(wanted, budgetMin), maxTokens - 1);
    return budget < budgetMin ? disabled : { type: 'enabled', budget_tokens: budget };
  }
  return wanted < budgetMin ? undefined : { type: 'enabled', budget_tokens: wanted };
}

/**
 * Whether the conversation stands in the middle of tool calls that began without signed thoughts: made by another model
 * or without thinking. A provider that thinks by a budget refuses to go on from there with thinking, so that it is off
 * until the user speaks again. Providers that decide for themselves take such turns.
 */
function isUnprovenLoop(turns: readonly EncodedTurn[]): boolean {
  let first: EncodedTurn | undefined;
  for (let at = turns.length - 1; has(turns[at], ['tool_result']); at -= 2) first = turns[at - 1] ?? first;
  return first !== undefined && !has(first, ['thinking', 'redacted_thinking']);
}

function has(turn: EncodedTurn | undefined, types: readonly string[]): boolean {
  return turn?.content.some(({ type }) => type !== undefined && types.includes(type)) ?? false;
}
