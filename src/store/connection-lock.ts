/** Who may use a connection that several share: whoever has it keeps it until the end of its transaction. */
export interface ConnectionLock {
  take(): Promise<void>;
  over(): void;
}

/** One after another, in the order they came. */
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
