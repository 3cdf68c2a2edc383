import { setImmediate as turn } from 'node:timers/promises';
import type { Call } from './fakes/fake-provider.ts';

/**
 * Resolves with the number of bytes that a reply has sent when its reader stops reading. Provider and reader share this
 * process: while the reader reads, the provider sends more every few turns of the event loop.
 */
export async function stalled(call: Call): Promise<number> {
  const isWaiting = (): boolean => call.bufferedBytes > 0;
  // A provider with an empty buffer has sent everything, or is about to continue.
  for (let last = -1, same = 0; same < (isWaiting() ? 100 : 10_000); same += 1) {
    if (call.sentBytes !== last) same = 0;
    last = call.sentBytes;
    await turn();
  }
  return call.sentBytes;
}
