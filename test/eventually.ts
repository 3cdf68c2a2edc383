import { vi } from 'vitest';

/** What is never true runs out of time; what is true late only shows a busy machine. */
const patience = { timeout: 120_000, interval: 20 };

/** Waits until a check passes. `expect.poll` does the same for a value, with the patience of `vitest.config.ts`. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, patience);
}
