import type { Client } from './client.ts';
import { sourceRequestOf } from './reply-watch.ts';
import type { Life } from './scenario.ts';
import type { SeenCall } from './seen-call.ts';

/**
 * Checks the replies of all gateways to requests with one `Idempotency-Key`. The rules do not apply if the store fails:
 * then a gateway answers a retry without it.
 */
export function checkSharedReplies(life: Life): readonly string[] {
  return [...checkSingleReply(life), ...checkOneGenerator(life), ...checkTheDead(life), ...checkInProgress(life)];
}

/** After a client received the end of a reply, no gateway calls a provider for the same key. */
export function checkSingleReply({ calls, clients }: Life): readonly string[] {
  return clients.flatMap((client) => {
    const { plan, ending, endedMs = 0 } = client;
    if (ending !== 'done') return [];
    const same = idsWithKeyOf(client, clients);
    const later = calls.filter(({ requestId, atMs }) => same.has(requestId) && atMs > endedMs);
    return later.map(({ requestId }) => `${requestId} was generated again although ${plan.id} had received the end`);
  });
}

/** While one gateway generates the reply, no other one does, unless the first is dead or had a fault. */
export function checkOneGenerator({ calls, clients }: Life): readonly string[] {
  return clients.flatMap((client) => {
    const { machine, plan } = client;
    const own = calls.filter(({ requestId }) => requestId === plan.id);
    const same = idsWithKeyOf(client, clients);
    const others = calls.filter(({ requestId, gateway }) => same.has(requestId) && gateway !== machine.name);
    const isDuring = ({ atMs }: SeenCall): boolean =>
      own.some((call) => call.atMs < atMs && atMs < (call.endedMs ?? Number.POSITIVE_INFINITY));
    const isHealthy = machine.lastFaultMs === Number.NEGATIVE_INFINITY;
    const diedMs = machine.diedMs ?? Number.POSITIVE_INFINITY;
    return others
      .filter((call) => isHealthy && isDuring(call) && call.atMs < diedMs)
      .map((call) => `${call.requestId} was generated while ${machine.name} generated ${plan.id}`);
  });
}

/** A retry receives nothing of a reply whose process died before the retry came, unless the reply is complete. */
function checkTheDead({ clients }: Life): readonly string[] {
  return clients.flatMap((client) => {
    const source = clients.find(({ plan }) => plan.id === sourceRequestOf(client));
    const diedMs = source?.machine.diedMs ?? Number.POSITIVE_INFINITY;
    if (client.ending !== 'error-frame' || client.arrivedMs <= diedMs + inTransitMs) return [];
    return [`${client.plan.id} received the reply of ${source?.plan.id}, whose process was dead`];
  });
}

/** A write may reach the store this long after its process died. */
const inTransitMs = 100;

/** A retry is refused as a duplicate only if the process that generates the reply cannot be reached. */
function checkInProgress({ clients }: Life): readonly string[] {
  return clients.flatMap((client) => {
    const { plan, refusal, arrivedMs, endedMs = 0 } = client;
    if (refusal !== 'answer-under-way') return [];
    const same = idsWithKeyOf(client, clients);
    const isAway = clients.some(({ plan: { id }, machine }) => {
      const { from, until } = machine.frozenMs;
      const diedMs = machine.diedMs ?? Number.POSITIVE_INFINITY;
      return (
        same.has(id) && ((from < endedMs && until > arrivedMs) || (diedMs < endedMs && diedMs > arrivedMs - goneMs))
      );
    });
    return isAway ? [] : [`${plan.id} was refused as a duplicate although every process could be reached`];
  });
}

/** After this time a dead process counts as gone. */
const goneMs = 10_000;

function idsWithKeyOf({ plan }: Client, clients: readonly Client[]): ReadonlySet<string> {
  const { idempotencyKey } = plan;
  if (idempotencyKey === undefined) return new Set();
  return new Set(clients.filter((each) => each.plan.idempotencyKey === idempotencyKey).map((each) => each.plan.id));
}
