import type { Overview } from '../../api/wire.ts';
import { refetchMs, useRead } from '../../api/queries.ts';

/** The last 30 days of an account, day by day. */
export function useAccountUsage(id: string) {
  return useRead<Overview>('/admin/v1/overview', { account: id, interval: 'day' }, { refetchInterval: refetchMs });
}
