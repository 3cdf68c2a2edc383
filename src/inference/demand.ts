import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { Model } from '../core/model.ts';
import type { Demand } from '../routing/fair-queue/demand.ts';
import { promptTokensIn, requestCost } from '../routing/request-cost.ts';
import type { ExpectedOutput } from './expected-output.ts';

/** The request as the queues see it: whose it is, and how much of an upstream it will probably take. */
export function demandOf(
  caller: Caller,
  model: Model,
  request: ChatRequest,
  { weight, expected }: { readonly weight: number; readonly expected: ExpectedOutput },
): Demand {
  const { accountId, keyId, packageName } = caller.key;
  const { bytes } = request.wire;
  const cap = request.maxTokens ?? model.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const output = expected.of(accountId, model.id, cap) * request.choices;
  return { accountId, keyId, packageName, weight, cost: requestCost(promptTokensIn(bytes), output), bytes };
}
