import { setImmediate as turn } from 'node:timers/promises';
import type { Call } from './fake-provider.ts';

/**
 * Resolves with the bytes that a reply had sent when its reader took no more. Provider and reader share this process: if
 * the reader read, every few turns of the event loop would take bytes off the provider that waits with more.
 */
export async function stalled(call: Call): Promise<number> {
  const isWaiting = (): boolean => call.bufferedBytes > 0;
  // A provider with nothing left to send has sent all of it, or is about to go on.
  for (let last = -1, same = 0; same < (isWaiting() ? 100 : 10_000); same += 1) {
    if (call.sentBytes !== last) same = 0;
    last = call.sentBytes;
    await turn();
  }
  return call.sentBytes;
}
