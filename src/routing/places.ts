import { assert } from '../core/assert.ts';

/** Where the running answers of an upstream are counted. This process counts for itself; another way may count for many. */
export interface Places {
  readonly limit: number;
  /** Takes a place, if one is free. */
  take(): boolean;
  give(): void;
}

/** Places counted in this process alone. */
export function localPlaces(limit: () => number): Places {
  let taken = 0;
  return {
    get limit() {
      return limit();
    },
    take() {
      if (taken >= limit()) return false;
      taken += 1;
      return true;
    },
    give() {
      assert(taken > 0, 'a place that nobody has is not given back');
      taken -= 1;
    },
  };
}
