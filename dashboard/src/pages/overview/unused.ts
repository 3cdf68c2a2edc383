import type { Page } from '../../api/page.ts';
import type { Key, OwnOverview } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';

/** Whether nothing was ever asked of the account: neither in the span that is shown nor with any of its keys. */
export function useIsUnused(overview: OwnOverview | undefined): boolean {
  const isQuiet = overview?.totals.requests === 0;
  const keys = useRead<Page<Key>>('/account/v1/keys', { limit: 200 }, { enabled: isQuiet });
  return isQuiet && keys.data !== undefined && keys.data.data.every(({ last_used_at }) => last_used_at === null);
}
