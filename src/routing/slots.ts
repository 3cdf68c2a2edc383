import { assert } from '../core/assert.ts';

/** Where the running answers of an upstream are counted: in this process alone, or with others that share the upstream. */
export interface Slots {
  /** How many may run here. */
  readonly limit: number;
  /** How many may run here and in all other processes together. */
  readonly whole: number;
  /** Takes a slot, if one is free. */
  take(): boolean;
  give(): void;
  /** Somebody waits who has nothing here yet. */
  newcomer(): void;
}

/** Slots counted in this process alone. */
export function localSlots(limit: () => number): Slots {
  let taken = 0;
  return {
    get limit() {
      return limit();
    },
    get whole() {
      return limit();
    },
    take() {
      if (taken >= limit()) return false;
      taken += 1;
      return true;
    },
    give() {
      assert(taken > 0, 'a slot that nobody has is not given back');
      taken -= 1;
    },
    newcomer() {},
  };
}
