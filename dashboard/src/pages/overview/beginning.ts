import type { Page } from '../../api/page.ts';
import type { Key, OwnOverview } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';

/** How far an account has come that has just begun. */
export interface FirstUse {
  /** Whether it is known yet. */
  readonly isKnown: boolean;
  /** Nothing was ever asked of it: neither in the span that is shown nor with any of its keys. */
  readonly isUnused: boolean;
  readonly hasKey: boolean;
}

export function useBeginning(overview: OwnOverview | undefined, everyMs: number): FirstUse {
  const isQuiet = overview?.totals.requests === 0;
  const options = { enabled: isQuiet, refetchInterval: everyMs };
  const keys = useRead<Page<Key>>('/account/v1/keys', { limit: 200 }, options).data?.data;
  return {
    isKnown: overview !== undefined && (!isQuiet || keys !== undefined),
    isUnused: isQuiet && keys !== undefined && keys.every(({ last_used_at }) => last_used_at === null),
    hasKey: keys?.some(({ state }) => state === 'active') ?? false,
  };
}
