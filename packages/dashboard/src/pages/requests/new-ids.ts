import { useEffect, useRef, useState } from 'react';

const none: ReadonlySet<string> = new Set();

/** The ids that were not in the list at the last read. Empty while live mode is off. */
export function useNewIds(ids: readonly string[] | undefined, isLive: boolean): ReadonlySet<string> {
  const seen = useRef<ReadonlySet<string> | undefined>(undefined);
  const [newIds, setNewIds] = useState(none);
  const list = ids?.join(' ');
  useEffect(() => {
    const known = isLive ? seen.current : undefined;
    const now = list === undefined ? undefined : new Set(list.split(' '));
    seen.current = isLive ? now : undefined;
    setNewIds(known && now ? new Set([...now].filter((id) => !known.has(id))) : none);
  }, [list, isLive]);
  return newIds;
}
