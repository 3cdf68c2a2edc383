import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Dispatch } from './dispatch.ts';
import type { SharedQueueEntry, WaitOptions } from '../queue/slot.ts';

/** A wait at one upstream. Resolves with `undefined` if something else should be tried. */
export type UpstreamWait = (wait: WaitOptions) => Promise<Dispatch | undefined>;

/** Gives up all waits but the first that ends: no request waits at one upstream while another is idle. */
export async function enterAny(entries: readonly UpstreamWait[], wait: WaitOptions): Promise<Dispatch | undefined> {
  const [only] = entries;
  if (only && entries.length === 1) return only(wait);
  const served = new AbortController();
  const signal = AbortSignal.any([wait.signal, served.signal]);
  // A request counts once in the queue limit, however many upstreams it waits at.
  const shared: SharedQueueEntry = {
    queueEntry: undefined,
    sendAway: () => served.abort(new GatewayError('overloaded')),
  };
  let isServed = false;
  const waits = entries.map(async (enter) => {
    const dispatch = await enter({ deadlineMs: wait.deadlineMs, signal, shared });
    // Two upstreams may have granted a slot at the same moment; one is enough.
    if (isServed && dispatch) giveBack(dispatch);
    isServed = true;
    return dispatch;
  });
  try {
    return await Promise.any(waits);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    served.abort();
  }
}

function giveBack({ candidate, slot }: Dispatch): void {
  candidate.credential.noEvidence(candidate.route.model);
  slot.release(0);
}
