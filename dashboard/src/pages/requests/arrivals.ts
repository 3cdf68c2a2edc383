import { useEffect, useRef, useState } from 'react';

const nobody: ReadonlySet<string> = new Set();

/** The ids that were not in the list at the last read. Empty while live mode is off. */
export function useArrivals(ids: readonly string[] | undefined, isLive: boolean): ReadonlySet<string> {
  const seen = useRef<ReadonlySet<string> | undefined>(undefined);
  const [arrived, setArrived] = useState(nobody);
  const list = ids?.join(' ');
  useEffect(() => {
    const known = isLive ? seen.current : undefined;
    const now = list === undefined ? undefined : new Set(list.split(' '));
    seen.current = isLive ? now : undefined;
    setArrived(known && now ? new Set([...now].filter((id) => !known.has(id))) : nobody);
  }, [list, isLive]);
  return arrived;
}
