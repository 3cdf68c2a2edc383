import { useEffect, useState } from 'react';

/** Re-renders periodically, because ages grow without any event. Undefined: never. */
export function useTick(everyMs: number | undefined): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
