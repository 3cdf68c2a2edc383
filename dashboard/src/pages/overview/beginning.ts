import type { Key, OwnOverview } from '../../api/wire.ts';
import { type Page, useRead } from '../../api/queries.ts';

/** The progress of a new account. */
export interface FirstUse {
  /** False while loading. */
  readonly isKnown: boolean;
  /** The account never made a request: neither in the shown range nor with any of its keys. */
  readonly isUnused: boolean;
  readonly hasKey: boolean;
}

export function useFirstUse(overview: OwnOverview | undefined, everyMs: number): FirstUse {
  const hasNoRequests = overview?.totals.requests === 0;
  const options = { enabled: hasNoRequests, refetchInterval: everyMs };
  const keys = useRead<Page<Key>>('/account/v1/keys', { limit: 200 }, options).data?.data;
  return {
    isKnown: overview !== undefined && (!hasNoRequests || keys !== undefined),
    isUnused: hasNoRequests && keys !== undefined && keys.every(({ last_used_at }) => last_used_at === null),
    hasKey: keys?.some(({ state }) => state === 'active') ?? false,
  };
}
