import { type Client, endMark } from './client.ts';
import type { SeenCall } from './seen-call.ts';
import { makerOf } from './reply-watch.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';

/** Holds every reply against what its provider said: who got less knows that, and nobody got anything else. */
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

/** What a client may be told at the end of an answer that its provider has completed, for its charge may be refused. */
const chargeCodes = /"code":"(?:insufficient_balance|overloaded)"/;

/** Nothing but its charge stands between an answer that is complete and its client. */
function endBroken({ plan, ending, said }: Client, calls: readonly SeenCall[]): string[] {
  // What breaks a promise is asked for again, and what comes to nothing of another model.
  if (plan.demands !== undefined) return [];
  const own = calls.filter(({ requestId }) => requestId === plan.id);
  const whole = own.filter(({ outcome, model }) => outcome === 'complete' && model === own.at(-1)?.model).length;
  if (whole > 1) return [`was answered ${whole} times`];
  const last = own.at(-1);
  if (last?.outcome !== 'complete' || (ending !== 'error-frame' && ending !== 'refused')) return [];
  return chargeCodes.test(said) ? [] : ['was broken off behind the end of its answer'];
}

/** The connection of a whole answer is free again where its body ends in time. */
function connectionBroken({ plan, ending }: Client, calls: readonly SeenCall[]): string[] {
  const isGivenUp = ({ requestId, outcome, bodyEndMs, connection }: SeenCall): boolean =>
    requestId === plan.id && outcome === 'complete' && bodyEndMs < drainMs && connection === 'cut';
  return ending === 'done' && calls.some(isGivenUp) ? ['the connection of its answer was given up'] : [];
}

/** So long the end of a body is waited for, if not a moment longer. */
const drainMs = 900;

/** Who asks again for an answer that is made here, or was made whole, gets that one and no other. */
function retryBroken(client: Client, clients: readonly Client[], calls: readonly SeenCall[]): string[] {
  const { plan } = client;
  const first = clients.find(({ plan: { id } }) => id === plan.again);
  if (plan.again === undefined || first?.ending !== 'done') return [];
  if (first.arrivedMs >= client.arrivedMs - sameTimeMs) return [];
  return calls.some(({ requestId }) => requestId === plan.id) ? [`was answered apart from ${plan.again}`] : [];
}

/** So close together either of two may be the first. */
const sameTimeMs = 10;

function textBroken(client: Client, calls: readonly SeenCall[]): string[] {
  const { plan, said, ending } = client;
  const rules: string[] = [];
  const isWhole = said.endsWith(endMark);
  const hasMark = said.includes(endMark);
  const hasError = said.includes('data: {"error":');
  if (ending === 'done' && (said.indexOf(endMark) !== said.length - endMark.length || hasError))
    rules.push('the end of the answer is not its end');
  if (ending === 'error-frame' && !/data: \{"error":.*\}\n\n$/.test(said)) rules.push('ended without a word');
  if (!isWhole && hasMark) rules.push('was told that it is whole, and then something else');
  if (ending === 'cut' && plan.stopsReadingAfter === undefined && client.machine.state === 'running')
    rules.push('read all the time and was cut');
  const maker = makerOf(client);
  const own = calls.filter(({ requestId }) => requestId === maker);
  const words = said.split('"content":"word"').length - 1;
  const most = Math.max(0, ...own.map((call) => call.said));
  if (plan.demands === undefined && words > most) rules.push(`got ${words} words of ${most}`);
  const isEnough = own.some((call) => call.outcome !== 'running' && call.outcome !== 'broken' && call.said === words);
  if (plan.demands === undefined && ending === 'done' && maker !== undefined && !isEnough)
    rules.push(`was told that ${words} words are the whole answer`);
  return rules;
}
