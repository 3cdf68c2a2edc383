import { type Client, endMark } from './client.ts';
import type { SeenCall } from './seen-call.ts';
import { makerOf } from './reply-watch.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';

/**
 * Compares every reply with the answer of its provider. A client that received only a part can see that, and no client
 * received anything else.
 */
export function repliesBroken(calls: readonly SeenCall[], gateways: readonly SimulatedGateway[]): readonly string[] {
  return gateways.flatMap(({ machine, clients, records }) => {
    const own = calls.filter(({ gateway }) => gateway === machine.name);
    const isUntroubled = machine.state === 'running';
    return clients.flatMap((client) => {
      const rules = [
        ...textBroken(client, calls),
        ...endBroken(client, own),
        ...connectionBroken(client, own),
        ...retryBroken(client, clients, own),
      ];
      const written = records.filter(({ id }) => id === client.plan.id).length;
      if (isUntroubled && client.refusal !== 'invalid-api-key' && written !== 1) rules.push(`has ${written} records`);
      return rules.map((rule) => `${client.plan.id} (${client.ending}): ${rule}`);
    });
  });
}

/** Errors that a client may receive after its provider completed the answer: the charge may be refused. */
const chargeCodes = /"code":"(?:insufficient_balance|overloaded)"/;

/** Only a refused charge may keep the end of a complete answer from its client. */
function endBroken({ plan, ending, said }: Client, calls: readonly SeenCall[]): string[] {
  // The gateway re-prompts an answer that violates a constraint, and then calls a fallback model.
  if (plan.demands !== undefined) return [];
  const own = calls.filter(({ requestId }) => requestId === plan.id);
  const whole = own.filter(({ outcome, model }) => outcome === 'complete' && model === own.at(-1)?.model).length;
  if (whole > 1) return [`was answered ${whole} times`];
  const last = own.at(-1);
  if (last?.outcome !== 'complete' || (ending !== 'error-frame' && ending !== 'refused')) return [];
  return chargeCodes.test(said) ? [] : ['was aborted after the end of its answer'];
}

/** If the body of a complete answer ends in time, its connection can be used again. */
function connectionBroken({ plan, ending }: Client, calls: readonly SeenCall[]): string[] {
  const isGivenUp = ({ requestId, outcome, bodyEndMs, connection }: SeenCall): boolean =>
    requestId === plan.id && outcome === 'complete' && bodyEndMs < drainMs && connection === 'cut';
  return ending === 'done' && calls.some(isGivenUp) ? ['the connection of its answer was closed'] : [];
}

/** The gateway waits at least this long for the end of a body. */
const drainMs = 900;

/** A retry gets the answer that this gateway generates for the first request, or has generated completely. */
function retryBroken(client: Client, clients: readonly Client[], calls: readonly SeenCall[]): string[] {
  const { plan } = client;
  const first = clients.find(({ plan: { id } }) => id === plan.again);
  if (plan.again === undefined || first?.ending !== 'done') return [];
  if (first.arrivedMs >= client.arrivedMs - sameTimeMs) return [];
  return calls.some(({ requestId }) => requestId === plan.id) ? [`got another answer than ${plan.again}`] : [];
}

/** Of two requests this close together, either may be the first. */
const sameTimeMs = 10;

function textBroken(client: Client, calls: readonly SeenCall[]): string[] {
  const { plan, said, ending } = client;
  const rules: string[] = [];
  const isWhole = said.endsWith(endMark);
  const hasMark = said.includes(endMark);
  const hasError = said.includes('data: {"error":');
  if (ending === 'done' && (said.indexOf(endMark) !== said.length - endMark.length || hasError))
    rules.push('received an end mark or an error before the end');
  if (ending === 'error-frame' && !/data: \{"error":.*\}\n\n$/.test(said)) rules.push('ended without an error frame');
  if (!isWhole && hasMark) rules.push('received more after the end mark');
  if (ending === 'cut' && plan.stopsReadingAfter === undefined && client.machine.state === 'running')
    rules.push('read all the time, but its connection was closed');
  const maker = makerOf(client);
  const own = calls.filter(({ requestId }) => requestId === maker);
  const words = said.split('"content":"word"').length - 1;
  const most = Math.max(0, ...own.map((call) => call.said));
  if (plan.demands === undefined && words > most) rules.push(`received ${words} words, but the provider sent ${most}`);
  const isEnough = own.some((call) => call.outcome !== 'running' && call.outcome !== 'broken' && call.said === words);
  if (plan.demands === undefined && ending === 'done' && maker !== undefined && !isEnough)
    rules.push(`received the end after ${words} words, but no call ended with that many`);
  return rules;
}
