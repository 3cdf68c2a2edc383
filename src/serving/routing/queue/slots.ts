import { idleReserve } from '../../../platform/cluster/divide.ts';
import { assert } from 'chat-formats/assert.ts';

/** Counts the running answers of an upstream: of this process alone, or of all processes that share it. */
export interface Slots {
  /** How many answers may run in this process. */
  readonly limit: number;
  /** How many answers may run in all processes together. */
  readonly totalLimit: number;
  /** How many requests of the idle class may run in this process, next to this many others. */
  idleLimit(interactive: number): number;
  /** Takes a slot. Returns the limit that allows it, and `undefined` if no slot is free. */
  take(): number | undefined;
  give(): void;
}

export function localSlots(limit: () => number): Slots {
  let taken = 0;
  return {
    get limit() {
      return limit();
    },
    get totalLimit() {
      return limit();
    },
    idleLimit: (interactive) => limit() - idleReserve(limit()) - interactive,
    take() {
      const max = limit();
      if (taken >= max) return undefined;
      taken += 1;
      return max;
    },
    give() {
      assert(taken > 0, 'only a taken slot is given back');
      taken -= 1;
    },
  };
}
