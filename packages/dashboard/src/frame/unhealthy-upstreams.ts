import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useIsOpen } from '../api/queries.ts';
import type { UpstreamHealth } from '../api/wire.ts';
import { bestStateOf } from '../pages/upstreams/credential-health.ts';

const pollMs = 60_000;

/**
 * The number of upstreams that get no requests because all their credentials failed. Its query is not one of the page:
 * the page header must not show its age.
 */
export function useUnhealthyUpstreams(enabled: boolean): number {
  const isOpen = useIsOpen();
  const { data } = useQuery({
    queryKey: ['unhealthy-upstreams'],
    queryFn: ({ signal }) => call<UpstreamHealth>('/admin/v1/upstreams/health', { signal }),
    select: ({ upstreams }) => upstreams.filter(isUnhealthy).length,
    staleTime: pollMs,
    refetchInterval: pollMs,
    enabled: enabled && isOpen,
  });
  return enabled ? (data ?? 0) : 0;
}

function isUnhealthy({ credentials }: UpstreamHealth['upstreams'][number]): boolean {
  const state = bestStateOf(credentials);
  return state === 'ejected' || state === 'disabled';
}
