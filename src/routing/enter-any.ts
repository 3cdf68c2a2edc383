import { GatewayError } from '../core/gateway-error.ts';
import type { Demand } from './fair-queue/demand.ts';
import type { SharedSeat, Place, WaitOptions } from './upstream-queue.ts';
import type { LiveUpstream } from './candidates.ts';

/** The first place that any of the upstreams has to give, so that nobody waits at one while another idles. */
export async function enterAny(
  upstreams: readonly LiveUpstream[],
  demand: Demand,
  wait: WaitOptions,
): Promise<{ readonly upstream: LiveUpstream; readonly place: Place }> {
  const [only] = upstreams;
  if (only && upstreams.length === 1) return { upstream: only, place: await only.queue.enter(demand, wait) };
  const served = new AbortController();
  const signal = AbortSignal.any([wait.signal, served.signal]);
  // However many upstreams it waits at, it is one request in the waiting room.
  const shared: SharedSeat = { seat: undefined, sendAway: () => served.abort(new GatewayError('overloaded')) };
  let isServed = false;
  const entries = upstreams.map(async (upstream) => {
    const place = await upstream.queue.enter(demand, { deadlineMs: wait.deadlineMs, signal, shared });
    // Two upstreams may have had a place in the same moment; one is enough.
    if (isServed) place.leave(0);
    isServed = true;
    return { upstream, place };
  });
  try {
    return await Promise.any(entries);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    served.abort();
  }
}
