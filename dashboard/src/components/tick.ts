import { useEffect, useState } from 'react';

/** Re-renders at an interval, so that texts such as "5 s ago" stay current. `undefined` turns it off. */
export function useTick(everyMs: number | undefined): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
