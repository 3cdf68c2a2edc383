import { useEffect, useState } from 'react';

/** Draws anew now and then, for ages grow without anything happening; never where no time is given. */
export function useTick(everyMs: number | undefined): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
