import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../../core/time/clock.ts';
import { egressGuard, refusalFor } from '../../../serving/upstreams/http1/egress-guard.ts';
import { addressOf } from '../../../serving/upstreams/http1/open-socket.ts';

/** A slower resolver must not delay the user's request. */
export const lookupTimeoutMs = 2000;

/** A lookup occupies a thread of the shared thread pool. */
export const concurrentLookupsMax = 2;

/**
 * Rejects private addresses of webhook endpoints when a user enters them. A name may resolve differently later, so the
 * sender checks the address again at each delivery.
 */
export function addressCheck({ clock, lookup = systemLookup }: { clock: Clock; lookup?: LookupFunction | undefined }) {
  let runningLookups = 0;

  /** Empty if the lookup fails or times out. A late lookup still counts against the limit until it ends. */
  function addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return Promise.resolve([host]);
    if (runningLookups >= concurrentLookupsMax) return Promise.resolve([]);
    runningLookups += 1;
    return new Promise((resolve) => {
      const timer = clock.after(lookupTimeoutMs, () => resolve([]));
      lookup(host, { all: true }, (error, resolved) => {
        runningLookups -= 1;
        clock.cancel(timer);
        resolve(error ? [] : Array.isArray(resolved) ? resolved.map(({ address }) => address) : [resolved]);
      });
    });
  }

  return {
    /** True if any address of the host is private and not in `allow`. The sender applies the same rule. */
    async isRefused(url: string, allow: readonly string[]): Promise<boolean> {
      const host = addressOf(new URL(url));
      const guard = egressGuard(allow);
      const addresses = await addressesOf(host);
      return addresses.some((address) => refusalFor(guard, host, address) !== undefined);
    },
  };
}
