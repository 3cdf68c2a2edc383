/** Mutex for a shared connection. The holder keeps it until its transaction ends. */
export interface ConnectionLock {
  take(): Promise<void>;
  over(): void;
}

/** Grants the lock in first-in, first-out order. */
export function oneAtATime(): ConnectionLock {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return Promise.resolve();
    },
    over() {
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    },
  };
}
