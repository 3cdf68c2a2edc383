import { type HeaderLines, headerLines } from '../http1/request-text.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';
import type { UpstreamCall } from '../upstream.ts';

type AddsLines = (lines: HeaderLines, call: Pick<UpstreamCall, 'conversation'>) => HeaderLines;

/**
 * Adds the header that lets a provider route the turns of a conversation to the same prompt cache. A header of that
 * name in the file wins.
 */
export function affinityLines({ quirks, headers }: Pick<ResolvedUpstream, 'quirks' | 'headers'>): AddsLines {
  const name = quirks.cacheAffinity;
  const isConfigured = Object.keys(headers).some((each) => each.toLowerCase() === name);
  if (name === 'none' || name === 'prompt_cache_key' || isConfigured) return (lines) => lines;
  return (lines, { conversation }) => {
    const value = conversation?.();
    return value === undefined ? lines : ((lines + headerLines({ [name]: value })) as HeaderLines);
  };
}
