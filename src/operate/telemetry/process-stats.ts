import { totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

export interface ProcessStats {
  /** The part of this process's memory limit in use, from 0 to 1, as last measured. */
  memoryShare(): number;
  /** The error of the last measurement, if it failed: the process may open no more files. */
  shortage(): string | undefined;
  /** The longest block of the event loop, in milliseconds, since this method last returned 1,000 ms or more. */
  longestBlockMs(): number;
  stop(): void;
}

const resolutionMs = 20;
const longMs = 1000;

/** Memory: V8's heap or all memory, whichever is closer to its limit, divided among processes of a machine. */
export function processStats(processes = 1): ProcessStats {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const memoryMax = memoryLimit() / processes;
  let residentBytes = 0;
  let shortage: string | undefined;

  /** The system provides the value in a file. Opening it fails if no descriptor is left. */
  function measure(): void {
    try {
      residentBytes = process.memoryUsage.rss();
      shortage = undefined;
    } catch (error) {
      shortage = error instanceof Error ? error.message : String(error);
    }
  }

  return {
    memoryShare() {
      measure();
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return Math.max(used / limit, residentBytes / memoryMax);
    },
    shortage: () => shortage,
    longestBlockMs() {
      const longest = delays.max / 1e6 - resolutionMs;
      // A reset also discards the time of the last sample: it would lose a block that is not yet recorded.
      if (longest >= longMs) delays.reset();
      return Math.max(0, longest);
    },
    stop: () => void delays.disable(),
  };
}

/** The memory limit of the container, or the memory of the machine if there is no limit. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
