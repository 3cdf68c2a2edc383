import type { Client } from './client.ts';
import type { SeenCall } from './seen-call.ts';
import type { SharedStore } from './shared-store.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';

/** Compares the charge of every request with the usage that its client and the providers saw. */
export function chargesBroken(
  store: SharedStore,
  calls: readonly SeenCall[],
  gateways: readonly SimulatedGateway[],
  perToken: Readonly<Record<string, number>> = {},
): readonly string[] {
  const charged = new Map(
    store.rows(revenueByRequest).map(({ reference, sum }) => [String(reference), Number(sum)] as const),
  );
  const isCalm = store.troubledMs === Number.NEGATIVE_INFINITY && gateways.some(({ isServing }) => isServing);
  const priced = calls.map((call) => inMoney(call, perToken[call.model] ?? 1));
  const byRequest = Map.groupBy(priced, ({ requestId }) => requestId);
  const beyond = store
    .rows(chargedBeyondHold)
    .map(({ reference }) => `${String(reference)}: was charged more than was held`);
  const broken = gateways.flatMap(({ machine, clients, records }) =>
    clients.flatMap((client) => {
      const { plan, ending, endedMs } = client;
      const isWithdrawn = client.refusal === 'key-revoked' || client.said.includes(withdrawn);
      const isGivenUp = isWithdrawn || (ending === 'left' && !isSharedWith(client, clients));
      const seen = byRequest.get(plan.id) ?? [];
      const wasUntroubled = machine.state === 'running' && machine.troubledMs === Number.NEGATIVE_INFINITY;
      const paid = charged.get(plan.id) ?? 0;
      const cutOffMs = isCalm && machine.troubledMs === Number.NEGATIVE_INFINITY ? machine.diedMs : undefined;
      const record = records.find(({ id }) => id === plan.id);
      if (wasUntroubled && Number(record?.cost ?? 0) !== paid)
        return [`${plan.id} (${ending}): was charged ${paid}, but its record has ${record?.cost}`];
      return rulesBroken({ seen, ending, endedMs, paid, wasUntroubled, isGivenUp, isWithdrawn, cutOffMs }).map(
        (rule) => `${plan.id} (${ending}): ${rule}`,
      );
    }),
  );
  return [...beyond, ...broken];
}

/** The same call with the cost of its tokens instead of their number. */
function inMoney(call: SeenCall, perToken: number): SeenCall {
  const { promptTokens, said, toldTokens } = call;
  return {
    ...call,
    promptTokens: promptTokens * perToken,
    said: said * perToken,
    toldTokens: toldTokens * perToken,
  };
}

/** Whether other clients may have read the same reply. One with an `Idempotency-Key` goes on for a later retry. */
function isSharedWith({ plan }: Client, clients: readonly Client[]): boolean {
  const asked = plan.again ?? plan.id;
  const isOther = (other: Client): boolean => other.plan !== plan && (other.plan.again ?? other.plan.id) === asked;
  return plan.name !== undefined || clients.some((other) => isOther(other) && other.ending !== 'left');
}

interface Request {
  readonly seen: readonly SeenCall[];
  readonly ending: string | undefined;
  readonly endedMs: number | undefined;
  readonly paid: number;
  readonly wasUntroubled: boolean;
  /** Its client has left and no other reads the reply, or its key was revoked. */
  readonly isGivenUp: boolean;
  /** Its client received the error for a revoked key. */
  readonly isWithdrawn: boolean;
  /** When its gateway died during the request, if there was no other fault and a peer could reap it. */
  readonly cutOffMs: number | undefined;
}

function rulesBroken(request: Request): readonly string[] {
  const { seen, ending, endedMs = 0, paid, wasUntroubled, isGivenUp, isWithdrawn, cutOffMs } = request;
  const rules: string[] = [];
  const byModel = [...Map.groupBy(seen, ({ model }) => model).values()];
  const most = Math.max(0, ...byModel.map((calls) => sumOverAskings(calls, usedBy)));
  if (paid > most) rules.push(`was charged ${paid}, but used only ${most}`);
  // A fallback is called only if the model before it gave no answer, and then that model's answers are free.
  const answered = seen.findLast(isAnswer);
  if (ending === 'done') {
    const own = seen.filter((call) => isAnswer(call) && call.model === answered?.model);
    const told = sumOverAskings(own, saidToUse);
    if (paid !== told) rules.push(`was charged ${paid} for answers that cost ${told}`);
  }
  if (ending === 'refused' && !isWithdrawn && wasUntroubled) {
    const thrownAway = byModel.map((calls) => sumOverAskings(calls.filter(isAnswer), saidToUse)).find((sum) => sum > 0);
    if (paid !== (thrownAway ?? 0))
      rules.push(`was charged ${paid} for discarded answers that cost ${thrownAway ?? 0}`);
  }
  const running = seen.find((call) => call.outcome === 'aborted' && (call.endedMs ?? 0) >= endedMs - sameMomentMs);
  if (isGivenUp && running && wasUntroubled && paid < running.promptTokens)
    rules.push(`was aborted during its answer and charged ${paid}, less than its prompt of ${running.promptTokens}`);
  const cutOff = seen.find((call) => diedWith(call, cutOffMs));
  if (cutOff && paid === 0)
    rules.push(`was interrupted by the death of its gateway and charged nothing of ${usedBy(cutOff)}`);
  return rules;
}

/** The call ran long enough for a checkpoint, and its prompt is large enough for a checkpoint above zero. */
function diedWith({ atMs, outcome, promptTokens }: SeenCall, diedMs: number | undefined): boolean {
  return diedMs !== undefined && outcome === 'running' && promptTokens > 100 && diedMs - atMs > checkpointDueMs;
}

const checkpointDueMs = 3000;

/** The call ends first, then the reply to the client. Only readings of the clock lie between them. */
const sameMomentMs = 0.5;

const withdrawn = '"code":"invalid_api_key"';

/**
 * Adds up the cost of all prompts of a model. For one prompt, the gateway calls one provider after another until one
 * answers, so only the highest cost counts.
 */
function sumOverAskings(calls: readonly SeenCall[], cost: (call: SeenCall) => number): number {
  const askings = [...Map.groupBy(calls, ({ furtherTurns }) => furtherTurns).values()];
  return askings.reduce((sum, each) => sum + Math.max(...each.map(cost)), 0);
}

/** Whether a provider's answer came to its end: it is complete, or the gateway ended it after some output. */
function isAnswer({ outcome, said }: SeenCall): boolean {
  return outcome === 'complete' || (outcome === 'aborted' && said > 0);
}

/** The usage that the provider reported, or the part that the gateway received. */
function saidToUse({ outcome, promptTokens, said, toldTokens }: SeenCall): number {
  return outcome === 'complete' ? toldTokens : promptTokens + said;
}

/** The most that the provider could bill for a call. A refused call costs nothing. */
function usedBy({ outcome, promptTokens, said, toldTokens }: SeenCall): number {
  return outcome === 'refused' ? 0 : Math.max(promptTokens + said, toldTokens);
}

const revenueByRequest =
  "select reference, sum(amount) as sum from entries where account = 'revenue' and kind in ('charge', 'charge-rest') group by reference";

/** A provider's report never makes an account pay more than the hold of the request. */
const chargedBeyondHold =
  "select reference from transfers where kind in ('charge', 'charge-rest') group by reference having -sum(amount) > max(held)";
