import { hostname } from 'node:os';
import type { Arbiter } from '../cluster/arbiter.ts';
import { LeaseKeeper } from '../cluster/lease-keeper.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../telemetry/log.ts';

interface Parts {
  readonly arbiter: Arbiter;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Log;
}

/** The places at upstreams that this process has of those that it shares with others. */
export function placeLeases({ arbiter, clock, newId, log }: Parts): LeaseKeeper {
  return new LeaseKeeper({
    clock,
    arbiter,
    process: newId(),
    home: { machine: hostname(), pid: process.pid },
    changed: (status) => {
      if (status.state === 'leased') log.info(status, 'places at upstreams are shared with the other processes again');
      else
        log.warn(status, 'places at upstreams cannot be shared just now; this process keeps to its own part of them');
    },
  });
}
