import type { Client } from './client.ts';
import type { SeenCall } from './seen-call.ts';
import type { SharedStore } from './shared-store.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';

/** Holds what every request was charged against what its client and the providers saw of it. */
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
        return [`${plan.id} (${ending}): was charged ${paid}, and its record says ${record?.cost}`];
      return rulesBroken({ seen, ending, endedMs, paid, wasUntroubled, isGivenUp, isWithdrawn, cutOffMs }).map(
        (rule) => `${plan.id} (${ending}): ${rule}`,
      );
    }),
  );
  return [...beyond, ...broken];
}

/** The same call with what its tokens cost in place of what they are. */
function inMoney(call: SeenCall, perToken: number): SeenCall {
  const { promptTokens, said, toldTokens } = call;
  return {
    ...call,
    promptTokens: promptTokens * perToken,
    said: said * perToken,
    toldTokens: toldTokens * perToken,
  };
}

/** Whether others may have read the same reply, when it was given up and before. One that has a name is made for who may come back. */
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
  /** Nobody wants it any more: its client has left, or its key was withdrawn. */
  readonly isGivenUp: boolean;
  /** It was told that its key was withdrawn. */
  readonly isWithdrawn: boolean;
  /** When its gateway died under it, if nothing else was wrong and somebody was there to clean up. */
  readonly cutOffMs: number | undefined;
}

function rulesBroken(request: Request): readonly string[] {
  const { seen, ending, endedMs = 0, paid, wasUntroubled, isGivenUp, isWithdrawn, cutOffMs } = request;
  const rules: string[] = [];
  const byModel = [...Map.groupBy(seen, ({ model }) => model).values()];
  const most = Math.max(0, ...byModel.map((calls) => sumOverAskings(calls, usedBy)));
  if (paid > most) rules.push(`was charged ${paid}, but used ${most}`);
  // A model is only asked in the place of another that gave nothing, and then the other's answers are free.
  const answered = seen.findLast(isAnswer);
  if (ending === 'done') {
    const own = seen.filter((call) => isAnswer(call) && call.model === answered?.model);
    const told = sumOverAskings(own, saidToUse);
    if (paid !== told) rules.push(`was charged ${paid} for answers of ${told}`);
  }
  if (ending === 'refused' && !isWithdrawn && wasUntroubled) {
    const thrownAway = byModel.map((calls) => sumOverAskings(calls.filter(isAnswer), saidToUse)).find((sum) => sum > 0);
    if (paid !== (thrownAway ?? 0)) rules.push(`was charged ${paid} for ${thrownAway ?? 0} that was thrown away`);
  }
  const running = seen.find((call) => call.outcome === 'aborted' && (call.endedMs ?? 0) >= endedMs - sameMomentMs);
  if (isGivenUp && running && wasUntroubled && paid < running.promptTokens)
    rules.push(`was given up while it was answered and was charged ${paid} of ${running.promptTokens}`);
  const cutOff = seen.find((call) => diedWith(call, cutOffMs));
  if (cutOff && paid === 0) rules.push(`was cut off by the death of its gateway and cost nothing of ${usedBy(cutOff)}`);
  return rules;
}

/** Long enough under way that a checkpoint was due, and large enough that even a cautious one is above nothing. */
function diedWith({ atMs, outcome, promptTokens }: SeenCall, diedMs: number | undefined): boolean {
  return diedMs !== undefined && outcome === 'running' && promptTokens > 100 && diedMs - atMs > checkpointDueMs;
}

const checkpointDueMs = 3000;

/** Its provider is told first, then its client; no more than looks at the clock lie between. */
const sameMomentMs = 0.5;

const withdrawn = '"code":"invalid_api_key"';

/** A model is asked once more for another answer, and within one asking by one provider after another until one answers. */
function sumOverAskings(calls: readonly SeenCall[], cost: (call: SeenCall) => number): number {
  const askings = [...Map.groupBy(calls, ({ furtherTurns }) => furtherTurns).values()];
  return askings.reduce((sum, each) => sum + Math.max(...each.map(cost)), 0);
}

/** Whether a provider's answer came to its end: by itself, or because the gateway had heard enough of it. */
function isAnswer({ outcome, said }: SeenCall): boolean {
  return outcome === 'complete' || (outcome === 'aborted' && said > 0);
}

/** As its provider told, or as far as it was heard. */
function saidToUse({ outcome, promptTokens, said, toldTokens }: SeenCall): number {
  return outcome === 'complete' ? toldTokens : promptTokens + said;
}

/** What the provider could bill for a call: nothing for one that it refused. */
function usedBy({ outcome, promptTokens, said, toldTokens }: SeenCall): number {
  return outcome === 'refused' ? 0 : Math.max(promptTokens + said, toldTokens);
}

const revenueByRequest =
  "select reference, sum(amount) as sum from entries where account = 'revenue' and kind in ('charge', 'charge-rest') group by reference";

/** No report of a provider makes an account pay more than was held for its request. */
const chargedBeyondHold =
  "select reference from transfers where kind in ('charge', 'charge-rest') group by reference having -sum(amount) > max(held)";
