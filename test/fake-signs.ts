import type { ProcessStats } from '../src/telemetry/process-stats.ts';

/** Memory and event loop as a test wants them to look. */
export interface FakeSigns extends ProcessStats {
  memory: number;
  blockMs: number;
}

export function fakeSigns(): FakeSigns {
  const signs = {
    memory: 0,
    blockMs: 0,
    memoryShare: () => signs.memory,
    shortage: () => undefined,
    longestBlockMs: () => signs.blockMs,
    stop: () => {},
  };
  return signs;
}
