import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../core/clock.ts';
import { egressGuard, refusalFor } from '../upstreams/http1/egress-guard.ts';
import { addressOf } from '../upstreams/http1/open-socket.ts';

/**
 * Says of an address, when it is given, that nothing would ever be delivered there. Only what can be known at once: what
 * a name points to may change, so the sender asks again each time.
 */
export interface AddressCheck {
  /** Whether anything that the host is known by is private, and the operator does not allow it: the sender goes by the same rule. */
  isRefused(url: string, allow: readonly string[]): Promise<boolean>;
}

interface AddressCheckParts {
  readonly clock: Clock;
  readonly lookup?: LookupFunction | undefined;
}

/** Nobody waits longer for a resolver to save something. */
export const lookUpTimeoutMs = 2000;

/** Looking up takes a thread that others need too. */
export const lookUpsAtOnceMax = 2;

export function addressCheck({ clock, lookup = systemLookup }: AddressCheckParts): AddressCheck {
  let lookUps = 0;

  /** Nothing where it is not known, or not in time. A resolver that is late has its place until it answers. */
  function addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return Promise.resolve([host]);
    if (lookUps >= lookUpsAtOnceMax) return Promise.resolve([]);
    lookUps += 1;
    return new Promise((resolve) => {
      const timer = clock.after(lookUpTimeoutMs, () => resolve([]));
      lookup(host, { all: true }, (error, resolved) => {
        lookUps -= 1;
        clock.cancel(timer);
        resolve(error ? [] : Array.isArray(resolved) ? resolved.map(({ address }) => address) : [resolved]);
      });
    });
  }

  return {
    async isRefused(url, allow) {
      const host = addressOf(new URL(url));
      const guard = egressGuard(allow);
      const addresses = await addressesOf(host);
      return addresses.some((address) => refusalFor(guard, host, address) !== undefined);
    },
  };
}
