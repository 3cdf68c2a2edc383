import type { Client } from './client.ts';
import type { SeenCall } from './seen-call.ts';
import type { SharedStore } from './shared-store.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';

/** Compares the charge of every request with the usage that its client and the providers saw. */
export function checkCharges(
  store: SharedStore,
  calls: readonly SeenCall[],
  gateways: readonly SimulatedGateway[],
  perToken: Readonly<Record<string, number>> = {},
): readonly string[] {
  const charged = new Map(
    store.rows(revenueByRequest).map(({ reference, sum }) => [String(reference), Number(sum)] as const),
  );
  const isCalm = store.lastFaultMs === Number.NEGATIVE_INFINITY && gateways.some(({ isServing }) => isServing);
  const priced = calls.map((call) => inMoney(call, perToken[call.model] ?? 1));
  const byRequest = Map.groupBy(priced, ({ requestId }) => requestId);
  const aboveHold = store
    .rows(chargedAboveHold)
    .map(({ reference }) => `${String(reference)}: was charged more than was held`);
  const broken = gateways.flatMap(({ machine, clients, records }) =>
    clients.flatMap((client) => {
      const { plan, ending, endedMs } = client;
      const isRevoked = client.refusal === 'key-revoked' || client.receivedText.includes(revokedCode);
      const isGivenUp = isRevoked || (ending === 'left' && !hasOtherReaders(client, clients));
      const seen = byRequest.get(plan.id) ?? [];
      const hadNoFault = machine.state === 'running' && machine.lastFaultMs === Number.NEGATIVE_INFINITY;
      const paid = charged.get(plan.id) ?? 0;
      const gatewayDiedMs = isCalm && machine.lastFaultMs === Number.NEGATIVE_INFINITY ? machine.diedMs : undefined;
      const record = records.find(({ id }) => id === plan.id);
      if (hadNoFault && Number(record?.cost ?? 0) !== paid)
        return [`${plan.id} (${ending}): was charged ${paid}, but its record has ${record?.cost}`];
      return checkRules({ seen, ending, endedMs, paid, hadNoFault, isGivenUp, isRevoked, gatewayDiedMs }).map(
        (rule) => `${plan.id} (${ending}): ${rule}`,
      );
    }),
  );
  return [...aboveHold, ...broken];
}

/** The same call with the cost of its tokens instead of their number. */
function inMoney(call: SeenCall, perToken: number): SeenCall {
  const { promptTokens, sentPieces, reportedTokens } = call;
  return {
    ...call,
    promptTokens: promptTokens * perToken,
    sentPieces: sentPieces * perToken,
    reportedTokens: reportedTokens * perToken,
  };
}

/** Whether other clients may have read the same reply. One with an `Idempotency-Key` goes on for a later retry. */
function hasOtherReaders({ plan }: Client, clients: readonly Client[]): boolean {
  const firstId = plan.retryOf ?? plan.id;
  const isOther = (other: Client): boolean => other.plan !== plan && (other.plan.retryOf ?? other.plan.id) === firstId;
  return plan.idempotencyKey !== undefined || clients.some((other) => isOther(other) && other.ending !== 'left');
}

interface Request {
  readonly seen: readonly SeenCall[];
  readonly ending: string | undefined;
  readonly endedMs: number | undefined;
  readonly paid: number;
  readonly hadNoFault: boolean;
  /** Its client has left and no other reads the reply, or its key was revoked. */
  readonly isGivenUp: boolean;
  /** Its client received the error for a revoked key. */
  readonly isRevoked: boolean;
  /** When its gateway died during the request, if there was no other fault and a peer could reap it. */
  readonly gatewayDiedMs: number | undefined;
}

function checkRules(request: Request): readonly string[] {
  const { seen, ending, endedMs = 0, paid, hadNoFault, isGivenUp, isRevoked, gatewayDiedMs } = request;
  const rules: string[] = [];
  const byModel = [...Map.groupBy(seen, ({ model }) => model).values()];
  const most = Math.max(0, ...byModel.map((calls) => sumOverPrompts(calls, billableUsage)));
  if (paid > most) rules.push(`was charged ${paid}, but used only ${most}`);
  // A fallback is called only if the model before it gave no answer, and then that model's answers are free.
  const answered = seen.findLast(isAnswer);
  if (ending === 'done') {
    const own = seen.filter((call) => isAnswer(call) && call.model === answered?.model);
    const reported = sumOverPrompts(own, reportedUsage);
    if (paid !== reported) rules.push(`was charged ${paid} for answers that cost ${reported}`);
  }
  if (ending === 'refused' && !isRevoked && hadNoFault) {
    const discarded = byModel
      .map((calls) => sumOverPrompts(calls.filter(isAnswer), reportedUsage))
      .find((sum) => sum > 0);
    if (paid !== (discarded ?? 0)) rules.push(`was charged ${paid} for discarded answers that cost ${discarded ?? 0}`);
  }
  const running = seen.find((call) => call.outcome === 'aborted' && (call.endedMs ?? 0) >= endedMs - sameMomentMs);
  if (isGivenUp && running && hadNoFault && paid < running.promptTokens)
    rules.push(`was aborted during its answer and charged ${paid}, less than its prompt of ${running.promptTokens}`);
  const interrupted = seen.find((call) => wasInterrupted(call, gatewayDiedMs));
  if (interrupted && paid === 0)
    rules.push(`was interrupted by the death of its gateway and charged nothing of ${billableUsage(interrupted)}`);
  return rules;
}

/** The call ran long enough for a checkpoint, and its prompt is large enough for a checkpoint above zero. */
function wasInterrupted({ atMs, outcome, promptTokens }: SeenCall, diedMs: number | undefined): boolean {
  return diedMs !== undefined && outcome === 'running' && promptTokens > 100 && diedMs - atMs > checkpointDueMs;
}

const checkpointDueMs = 3000;

/** The call ends first, then the reply to the client. Only readings of the clock lie between them. */
const sameMomentMs = 0.5;

const revokedCode = '"code":"invalid_api_key"';

/**
 * Adds up the cost of all prompts of a model. For one prompt, the gateway calls one provider after another until one
 * answers, so only the highest cost counts.
 */
function sumOverPrompts(calls: readonly SeenCall[], cost: (call: SeenCall) => number): number {
  const prompts = [...Map.groupBy(calls, ({ repromptMessages }) => repromptMessages).values()];
  return prompts.reduce((sum, each) => sum + Math.max(...each.map(cost)), 0);
}

/** Whether a provider's answer came to its end: it is complete, or the gateway ended it after some output. */
function isAnswer({ outcome, sentPieces }: SeenCall): boolean {
  return outcome === 'complete' || (outcome === 'aborted' && sentPieces > 0);
}

/** The usage that the provider reported, or the part that the gateway received. */
function reportedUsage({ outcome, promptTokens, sentPieces, reportedTokens }: SeenCall): number {
  return outcome === 'complete' ? reportedTokens : promptTokens + sentPieces;
}

/** The most that the provider could bill for a call. A refused call costs nothing. */
function billableUsage({ outcome, promptTokens, sentPieces, reportedTokens }: SeenCall): number {
  return outcome === 'refused' ? 0 : Math.max(promptTokens + sentPieces, reportedTokens);
}

const revenueByRequest =
  "select reference, sum(amount) as sum from entries where account = 'revenue' and kind in ('charge', 'charge-rest') group by reference";

/** A provider's report never makes an account pay more than the hold of the request. */
const chargedAboveHold =
  "select reference from transfers where kind in ('charge', 'charge-rest') group by reference having -sum(amount) > max(held)";
