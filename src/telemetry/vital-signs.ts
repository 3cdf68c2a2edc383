import { totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** How the process is doing, measured from outside its own work. */
export interface VitalSigns {
  /** How much of the memory this process may have is in use, from 0 to 1; what was last measured while it cannot be. */
  memoryShare(): number;
  /** Why the last measurement was not possible: the process may open no more files. */
  shortage(): string | undefined;
  /** The longest the event loop was blocked since this last said a second or more, in milliseconds. */
  longestBlockMs(): number;
  stop(): void;
}

const resolutionMs = 20;
const longMs = 1000;

/**
 * The real signs: V8's heap or all memory, whichever is nearer to its limit, and the delay of the event loop. Processes
 * that share a machine have an equal part of its memory each.
 */
export function vitalSigns(processes = 1): VitalSigns {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const memoryMax = memoryLimit() / processes;
  let residentBytes = 0;
  let shortage: string | undefined;

  /** The system tells it through a file, and there may be no descriptor left to open that with. */
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
      // A reset forgets when the loop was last seen: right after a block, before it was noted, it would forget the block.
      if (longest >= longMs) delays.reset();
      return Math.max(0, longest);
    },
    stop: () => void delays.disable(),
  };
}

/** What a container may use, where there is a limit, else what the machine has. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
