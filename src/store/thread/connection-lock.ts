/** Mutex for a shared connection. The holder keeps it until its transaction ends. */
export interface ConnectionLock {
  take(): Promise<void>;
  release(): void;
}

/** Grants the lock in first-in, first-out order. */
export function connectionLock(): ConnectionLock {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return Promise.resolve();
    },
    release() {
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    },
  };
}
