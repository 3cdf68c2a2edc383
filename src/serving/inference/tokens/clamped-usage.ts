import { type UsageBounds, usePrice } from '../../../money/billing/ledger/cost.ts';
import type { Price } from 'chat-formats/price.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';

/** The usage to charge, and a note if the provider reported more. */
interface ClampedUsage {
  readonly usage: Usage;
  readonly notes: readonly string[];
}

/** Limits usage to the maximum of the request, so that an account never pays more than the hold. */
export function clampUsage(usage: Usage, most: UsageBounds, price: Price): ClampedUsage {
  const { promptTokens, completionTokens } = usage;
  const toolUses = usage.toolUses && clampToolUses(usage.toolUses, most, price);
  // The calls of an answer are charged, and not its totals: the hold bounds their cost.
  const isInCalls = usage.parts !== undefined && toolUses === usage.toolUses;
  if (isInCalls) return { usage, notes: [] };
  const isWithin = promptTokens <= most.promptTokens && completionTokens <= most.outputTokens;
  if (isWithin && toolUses === usage.toolUses) return { usage, notes: [] };
  const clamped = clampParts({
    ...usage,
    promptTokens: Math.min(promptTokens, most.promptTokens),
    completionTokens: Math.min(completionTokens, most.outputTokens),
    ...(toolUses && { toolUses }),
  });
  // A count by the gateway may exceed the limit because its tokenizer differs from the provider's.
  return { usage: clamped, notes: usage.source === 'upstream' ? [overstatementNote(usage, clamped)] : [] };
}

/** Clamps only priced uses. A tool that the request does not allow is not charged. */
function clampToolUses(toolUses: ToolUses, most: UsageBounds, price: Price): ToolUses {
  const clamped = Object.entries(toolUses).map(([tool, uses]): [string, number] => {
    if ((usePrice(tool, price) ?? 0n) === 0n) return [tool, uses];
    return [tool, Math.min(uses, most.toolUses.find((each) => each.tool === tool)?.uses ?? 0)];
  });
  return clamped.every(([tool, uses]) => uses === toolUses[tool]) ? toolUses : Object.fromEntries(clamped);
}

/** Limits each part of a count to the count. */
function clampParts(usage: Usage): Usage {
  const { promptTokens, completionTokens } = usage;
  const atMost = (part: number | undefined, whole: number) => (part === undefined ? undefined : Math.min(part, whole));
  return {
    ...usage,
    cachedTokens: atMost(usage.cachedTokens, promptTokens),
    cacheWrite5mTokens: atMost(usage.cacheWrite5mTokens, promptTokens),
    cacheWrite30mTokens: atMost(usage.cacheWrite30mTokens, promptTokens),
    cacheWrite1hTokens: atMost(usage.cacheWrite1hTokens, promptTokens),
    cacheWrite12hTokens: atMost(usage.cacheWrite12hTokens, promptTokens),
    promptAudioTokens: atMost(usage.promptAudioTokens, promptTokens),
    promptImageTokens: atMost(usage.promptImageTokens, promptTokens),
    reasoningTokens: atMost(usage.reasoningTokens, completionTokens),
    completionAudioTokens: atMost(usage.completionAudioTokens, completionTokens),
  };
}

function overstatementNote(reported: Usage, charged: Usage): string {
  return `the provider reported ${inWords(reported)}; the request can use at most ${inWords(charged)}, and that was charged`;
}

function inWords({ promptTokens, completionTokens, toolUses = {} }: Usage): string {
  const uses = Object.entries(toolUses).map(([tool, count]) => `, ${count} uses of ${tool}`);
  return `${promptTokens} prompt tokens and ${completionTokens} completion tokens${uses.join('')}`;
}

type ToolUses = Readonly<Record<string, number>>;
