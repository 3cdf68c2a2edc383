import type { UsageBounds } from '../../money/billing/ledger/cost.ts';
import type { Caller } from '../../core/caller.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';
import type { Demand } from '../routing/fair-queue/demand.ts';
import type { IdleTerms } from '../routing/fair-queue/idle-terms.ts';
import { requestCost } from '../routing/queue/request-cost.ts';
import type { ExpectedUsage } from './tokens/expected-usage.ts';

interface DemandEstimate {
  readonly model: Model;
  readonly request: ChatRequest;
  readonly maxUsage: UsageBounds;
}

/** The demand of a request: its account, and its expected share of an upstream. */
export function demandOf(
  caller: Caller,
  { model, request, maxUsage: most }: DemandEstimate,
  terms: { readonly weight: number; readonly expected: ExpectedUsage; readonly idle?: IdleTerms | undefined },
): Demand {
  const { weight, expected, idle } = terms;
  const { accountId, keyId, packageName } = caller.key;
  const { bytes } = request.wire;
  const costMax = requestCost(most.promptTokens, most.outputTokens);
  const { promptTokens, outputTokens } = expected.of(accountId, model.id, promptSize(request, most));
  const usual = requestCost(promptTokens, Math.min(outputTokens * request.choices, most.outputTokens));
  const cost = Math.min(usual, costMax);
  return { accountId, keyId: idle?.batchId ?? keyId, packageName, weight, cost, costMax, bytes, idle };
}

/** Updates the expected usage of the account, limited to the maximum queue cost of this request. */
export function learnUsage(
  expected: ExpectedUsage,
  usage: Usage,
  { accountId, model, request, maxUsage: most }: DemandEstimate & { readonly accountId: string },
): void {
  expected.learn(accountId, model.id, {
    // A provider may add its own prompt. It counts up to the maximum queue cost of the whole request.
    promptTokens: Math.min(usage.promptTokens, requestCost(most.promptTokens, most.outputTokens)),
    outputTokens: Math.min(usage.completionTokens, most.outputTokens) / request.choices,
    size: usage.source === 'upstream' ? promptSize(request, most) : undefined,
  });
}

/** The bytes of a body that may become tokens; those of a picture do not. */
function promptSize({ wire }: ChatRequest, { promptTokens }: UsageBounds): number {
  return Math.min(wire.bytes, promptTokens);
}
