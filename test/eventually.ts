import { vi } from 'vitest';

/** Shorter than the timeout of a test, so that the failure shows what the test waited for. */
const options = { timeout: Number(process.env['TEST_POLL_MS'] ?? 50_000), interval: 20 };

/** Repeats a check until it passes, and fails with its last error. `expect.poll` does the same for a value. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, options);
}
