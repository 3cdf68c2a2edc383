import { useEffect, useState } from 'react';

/** Draws anew now and then, for ages grow without anything happening. */
export function useTick(everyMs: number): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
