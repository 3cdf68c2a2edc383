import type { CpuResult } from './measure-cpu.ts';
import type { LatencyResults } from './measure-latency.ts';
import type { LoopReport } from './loop-watch.ts';
import type { MemoryResult } from './measure-memory.ts';
import type { SharingResult } from './measure-sharing.ts';
import type { TargetName } from './targets/target.ts';

/** Everything one run found out. Ratios, but for memory: what they were made of belongs to one machine on one day. */
export interface BenchResult {
  readonly reference: TargetName;
  readonly cpu?: readonly CpuResult[] | undefined;
  readonly latency?: readonly LatencyResults[] | undefined;
  readonly blocks?: LoopReport | undefined;
  readonly memory?: MemoryResult | undefined;
  /** Ways to share the work among processes; the first is one process alone. */
  readonly sharing?: readonly SharingResult[] | undefined;
  /** Peers that could not be had, and why. */
  readonly missing?: readonly string[];
  readonly failures: readonly string[];
}
