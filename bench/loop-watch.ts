import { readFileSync, writeFileSync } from 'node:fs';
import { createHistogram, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Runs inside the measured gateway, loaded by the bench with `--import`. The first SIGUSR2 starts the measurement of
 * the event loop. The second one writes the report to the file in `BENCH_LOOP_REPORT`.
 */
export interface LoopReport {
  /** Delays of the event loop, with everything that causes them. */
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
  /**
   * The longest block of the event loop, without garbage collections and without the time that the thread waited for a
   * core.
   */
  readonly longestBlockMs: number;
  /**
   * The longest computing time within such a block. The rest of the block is other work of the machine, or the disk.
   */
  readonly longestBusyMs: number;
  readonly longestCollectionMs: number;
}

interface Block {
  readonly fromMs: number;
  readonly toMs: number;
  /** Time that the thread waited for a core. It is not part of the block. */
  readonly scheduledOutMs: number;
  /** Computing time during the block, by the thread's own clock. */
  readonly busyMs: number;
}

/** The interval of the timer, and the delay from which on a block is recorded. */
const askEveryMs = 1;
const noticedMs = 0.5;

/** Maximum number of recorded blocks. Longer blocks replace shorter ones. */
const blocksMax = 1000;

const reportFile = process.env.BENCH_LOOP_REPORT;
if (isMainThread && reportFile !== undefined && process.argv.includes('serve')) watchOnSignal(reportFile);

function watchOnSignal(file: string): void {
  process.once('SIGUSR2', () => {
    const watch = watchLoop();
    process.once('SIGUSR2', () => {
      // Collections are reported later than they happen.
      setTimeout(() => writeFileSync(file, JSON.stringify(watch.stop())), 100);
    });
  });
}

function watchLoop(): { stop(): LoopReport } {
  const collections: { readonly fromMs: number; readonly toMs: number }[] = [];
  const delaysMicros = createHistogram();
  let blocks: Block[] = [];
  let last = performance.now();
  let lastWaited = waitedMs();
  let lastBusy = busyMs();
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ fromMs: startTime, toMs: startTime + duration });
  });
  observer.observe({ entryTypes: ['gc'] });
  const timer = setInterval(() => {
    const now = performance.now();
    delaysMicros.record(Math.max(1, Math.round((now - last - askEveryMs) * 1e3)));
    const [waited, busy] = [waitedMs(), busyMs()];
    const times = { scheduledOutMs: waited - lastWaited, busyMs: busy - lastBusy };
    const block = { fromMs: last + askEveryMs, toMs: now, ...times };
    if (lengthOf(block) > noticedMs) blocks.push(block);
    if (blocks.length > 2 * blocksMax) {
      blocks = blocks.toSorted((one, other) => lengthOf(other) - lengthOf(one)).slice(0, blocksMax);
    }
    last = now;
    lastWaited = waited;
    lastBusy = busy;
  }, askEveryMs);
  return {
    stop() {
      clearInterval(timer);
      observer.disconnect();
      const collectedIn = (block: Block) =>
        collections.reduce((sum, collection) => sum + overlap(block, collection), 0);
      return {
        delayP99Ms: delaysMicros.percentile(99) / 1e3,
        delayMaxMs: delaysMicros.max / 1e3,
        longestBlockMs: Math.max(0, ...blocks.map((block) => lengthOf(block) - collectedIn(block))),
        longestBusyMs: Math.max(0, ...blocks.map((block) => block.busyMs - collectedIn(block))),
        longestCollectionMs: Math.max(0, ...collections.map(({ fromMs, toMs }) => toMs - fromMs)),
      };
    },
  };
}

function lengthOf({ fromMs, toMs, scheduledOutMs }: Block): number {
  return toMs - fromMs - scheduledOutMs;
}

function overlap(one: { fromMs: number; toMs: number }, other: { fromMs: number; toMs: number }): number {
  return Math.max(0, Math.min(one.toMs, other.toMs) - Math.max(one.fromMs, other.fromMs));
}

/** Time that this thread was ready to run and had no core: the second value of its line in /proc. */
function waitedMs(): number {
  return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6;
}

/** Computing time of this thread. */
function busyMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
