import { GatewayError } from '../core/gateway-error.ts';
import type { Visitor } from './fair-queue/visitor.ts';
import type { Party, Turn, WaitOptions } from './lane-queue.ts';
import type { Lane } from './options.ts';

/** The first place that any of the lanes has to give, so that nobody waits at one while another idles. */
export async function enterAny(
  lanes: readonly Lane[],
  visitor: Visitor,
  wait: WaitOptions,
): Promise<{ readonly lane: Lane; readonly turn: Turn }> {
  const [only] = lanes;
  if (only && lanes.length === 1) return { lane: only, turn: await only.queue.enter(visitor, wait) };
  const served = new AbortController();
  const signal = AbortSignal.any([wait.signal, served.signal]);
  // However many lanes it waits at, it is one request in the waiting room.
  const party: Party = { seat: undefined, sendAway: () => served.abort(new GatewayError('overloaded')) };
  let isServed = false;
  const entries = lanes.map(async (lane) => {
    const turn = await lane.queue.enter(visitor, { deadlineMs: wait.deadlineMs, signal, party });
    // Two lanes may have had a place in the same moment; one is enough.
    if (isServed) turn.leave(0);
    isServed = true;
    return { lane, turn };
  });
  try {
    return await Promise.any(entries);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    served.abort();
  }
}
