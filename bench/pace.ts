/** Durations and numbers of rounds. The full run takes about ten minutes, the quick one less than a minute. */
export interface Pace {
  readonly cpu: {
    readonly rounds: number;
    readonly roundMs: number;
    /** Before each workload. */
    readonly warmUpMs: number;
    /** Once before all workloads, with the shortest answers, because V8 compiles code only after it has run often. */
    readonly firstWarmUpMs: number;
  };
  readonly latency: { readonly rounds: number; readonly roundMs: number };
  readonly memory: {
    /** In ascending order. */
    readonly streams: readonly number[];
    readonly settleMs: number;
    readonly busyMs: number;
  };
  readonly blocks: { readonly busyMs: number };
  readonly fairness: { readonly warmUpMs: number; readonly measureMs: number };
  /** Calls before the gateway is killed, and after its restart. */
  readonly money: { readonly calls: number };
}

export const fullPace: Pace = {
  cpu: { rounds: 5, roundMs: 2_000, warmUpMs: 5_000, firstWarmUpMs: 20_000 },
  latency: { rounds: 5, roundMs: 3_500 },
  memory: { streams: [1_000, 10_000], settleMs: 3_000, busyMs: 6_000 },
  blocks: { busyMs: 5_000 },
  fairness: { warmUpMs: 15_000, measureMs: 60_000 },
  money: { calls: 2_000 },
};

export const quickPace: Pace = {
  cpu: { rounds: 1, roundMs: 400, warmUpMs: 300, firstWarmUpMs: 300 },
  latency: { rounds: 1, roundMs: 1_200 },
  memory: { streams: [200, 1_000], settleMs: 400, busyMs: 1_000 },
  blocks: { busyMs: 500 },
  fairness: { warmUpMs: 1_000, measureMs: 6_000 },
  money: { calls: 200 },
};
