import { type Client, endMark } from './client.ts';
import type { SeenCall } from './seen-call.ts';
import { sourceRequestOf } from './reply-watch.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';

/**
 * Compares every reply with the answer of its provider. A client that received only a part can see that, and no client
 * received anything else.
 */
export function checkReplies(calls: readonly SeenCall[], gateways: readonly SimulatedGateway[]): readonly string[] {
  return gateways.flatMap(({ machine, clients, records }) => {
    const own = calls.filter(({ gateway }) => gateway === machine.name);
    const isRunning = machine.state === 'running';
    return clients.flatMap((client) => {
      const rules = [
        ...checkText(client, calls),
        ...checkEnd(client, own),
        ...checkConnection(client, own),
        ...checkRetry(client, clients, own),
      ];
      const written = records.filter(({ id }) => id === client.plan.id).length;
      if (isRunning && client.refusal !== 'invalid-api-key' && written !== 1) rules.push(`has ${written} records`);
      return rules.map((rule) => `${client.plan.id} (${client.ending}): ${rule}`);
    });
  });
}

/** Errors that a client may receive after its provider completed the answer: the charge may be refused. */
const chargeCodes = /"code":"(?:insufficient_balance|overloaded)"/;

/** Only a refused charge may keep the end of a complete answer from its client. */
function checkEnd({ plan, ending, receivedText }: Client, calls: readonly SeenCall[]): string[] {
  // The gateway re-prompts an answer that violates a constraint, and then calls a fallback model.
  if (plan.demands !== undefined) return [];
  const own = calls.filter(({ requestId }) => requestId === plan.id);
  const whole = own.filter(({ outcome, model }) => outcome === 'complete' && model === own.at(-1)?.model).length;
  if (whole > 1) return [`was answered ${whole} times`];
  const last = own.at(-1);
  if (last?.outcome !== 'complete' || (ending !== 'error-frame' && ending !== 'refused')) return [];
  return chargeCodes.test(receivedText) ? [] : ['was aborted after the end of its answer'];
}

/** If the body of a complete answer ends in time, its connection can be used again. */
function checkConnection({ plan, ending }: Client, calls: readonly SeenCall[]): string[] {
  const isGivenUp = ({ requestId, outcome, bodyEndMs, connection }: SeenCall): boolean =>
    requestId === plan.id && outcome === 'complete' && bodyEndMs < drainMs && connection === 'closed';
  return ending === 'done' && calls.some(isGivenUp) ? ['the connection of its answer was closed'] : [];
}

/** The gateway waits at least this long for the end of a body. */
const drainMs = 900;

/** A retry gets the answer that this gateway generates for the first request, or has generated completely. */
function checkRetry(client: Client, clients: readonly Client[], calls: readonly SeenCall[]): string[] {
  const { plan } = client;
  const first = clients.find(({ plan: { id } }) => id === plan.retryOf);
  if (plan.retryOf === undefined || first?.ending !== 'done') return [];
  if (first.arrivedMs >= client.arrivedMs - sameTimeMs) return [];
  return calls.some(({ requestId }) => requestId === plan.id) ? [`got another answer than ${plan.retryOf}`] : [];
}

/** Of two requests this close together, either may be the first. */
const sameTimeMs = 10;

function checkText(client: Client, calls: readonly SeenCall[]): string[] {
  const { plan, receivedText, ending } = client;
  const rules: string[] = [];
  const isComplete = receivedText.endsWith(endMark);
  const hasMark = receivedText.includes(endMark);
  const hasError = receivedText.includes('data: {"error":');
  if (ending === 'done' && (receivedText.indexOf(endMark) !== receivedText.length - endMark.length || hasError))
    rules.push('received an end mark or an error before the end');
  if (ending === 'error-frame' && !/data: \{"error":.*\}\n\n$/.test(receivedText))
    rules.push('ended without an error frame');
  if (!isComplete && hasMark) rules.push('received more after the end mark');
  if (ending === 'closed' && plan.stopsReadingAfter === undefined && client.machine.state === 'running')
    rules.push('read all the time, but its connection was closed');
  const source = sourceRequestOf(client);
  const own = calls.filter(({ requestId }) => requestId === source);
  const words = receivedText.split('"content":"word"').length - 1;
  const most = Math.max(0, ...own.map((call) => call.sentPieces));
  if (plan.demands === undefined && words > most) rules.push(`received ${words} words, but the provider sent ${most}`);
  const isEnough = own.some(
    (call) => call.outcome !== 'running' && call.outcome !== 'broken' && call.sentPieces === words,
  );
  if (plan.demands === undefined && ending === 'done' && source !== undefined && !isEnough)
    rules.push(`received the end after ${words} words, but no call ended with that many`);
  return rules;
}
