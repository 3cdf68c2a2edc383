import type { ProcessStats } from '../../src/operate/telemetry/process-stats.ts';

/** Memory use and event-loop lag, set by the test. */
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
