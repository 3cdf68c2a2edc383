import type { UsageBounds } from '../billing/cost.ts';
import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { Model } from '../core/model.ts';
import type { Usage } from '../core/usage.ts';
import type { Demand } from '../routing/fair-queue/demand.ts';
import { requestCost } from '../routing/request-cost.ts';
import type { ExpectedUsage } from './expected-usage.ts';

interface DemandEstimate {
  readonly model: Model;
  readonly request: ChatRequest;
  readonly mostItUses: UsageBounds;
}

/** The request as the queues see it: its account, and how much of an upstream it will probably take. */
export function demandOf(
  caller: Caller,
  { model, request, mostItUses: most }: DemandEstimate,
  { weight, expected }: { readonly weight: number; readonly expected: ExpectedUsage },
): Demand {
  const { accountId, keyId, packageName } = caller.key;
  const { bytes } = request.wire;
  const costMax = requestCost(most.promptTokens, most.outputTokens);
  const { promptTokens, outputTokens } = expected.of(accountId, model.id, promptSize(request, most));
  const usual = requestCost(promptTokens, Math.min(outputTokens * request.choices, most.outputTokens));
  return { accountId, keyId, packageName, weight, cost: Math.min(usual, costMax), costMax, bytes };
}

/** The next requests of the account are expected to use as much, within what this one could have cost in turns. */
export function learnFrom(
  expected: ExpectedUsage,
  usage: Usage,
  { accountId, model, request, mostItUses: most }: DemandEstimate & { readonly accountId: string },
): void {
  expected.learn(accountId, model.id, {
    // A provider may add a prompt of its own. It counts up to what the whole request may cost in turns.
    promptTokens: Math.min(usage.promptTokens, requestCost(most.promptTokens, most.outputTokens)),
    outputTokens: Math.min(usage.completionTokens, most.outputTokens) / request.choices,
    size: usage.source === 'upstream' ? promptSize(request, most) : undefined,
  });
}

/** The bytes of a body that may be tokens: those of a picture are not. */
function promptSize({ wire }: ChatRequest, { promptTokens }: UsageBounds): number {
  return Math.min(wire.bytes, promptTokens);
}
