import type { CpuResult } from './measure-cpu.ts';
import type { FairnessResult } from './measure-fairness.ts';
import type { LatencyResults } from './measure-latency.ts';
import type { LoopReport } from './loop-watch.ts';
import type { MemoryResult } from './measure-memory.ts';
import type { MoneyResult } from './measure-money.ts';
import type { SharingResult } from './measure-sharing.ts';
import type { TargetName } from './targets/target.ts';

/**
 * The result of one run. Values are ratios, because absolute times describe one machine on one day. The exceptions are
 * memory, the event loop's delay, the start, and the waits at a provider that is full.
 */
export interface BenchResult {
  readonly reference: TargetName;
  /** The connections that were busy while CPU was measured. */
  readonly connections?: number;
  readonly cpu?: readonly CpuResult[] | undefined;
  /** From the start of the gateway's process to the end of its first answer. */
  readonly startSeconds?: number | undefined;
  readonly latency?: readonly LatencyResults[] | undefined;
  readonly blocks?: LoopReport | undefined;
  readonly memory?: MemoryResult | undefined;
  /** Ways to share the work among processes. The first one is a single process. */
  readonly sharing?: readonly SharingResult[] | undefined;
  readonly fairness?: readonly FairnessResult[] | undefined;
  readonly money?: MoneyResult | undefined;
  /** The other gateways of this run, with what they were configured to do. */
  readonly peers?: readonly { readonly name: string; readonly configured: string }[];
  readonly failures: readonly string[];
}
