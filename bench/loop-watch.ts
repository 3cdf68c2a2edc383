import { readFileSync, writeFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Runs inside the gateway that is measured, put there by the bench with `--import`. The first SIGUSR2 begins to watch the
 * event loop, the second writes what was seen to the file that `BENCH_LOOP_REPORT` names.
 */
export interface LoopReport {
  /** The longest time in which the loop did not turn, without what garbage collection and the scheduler took of it. */
  readonly longestBlockMs: number;
  /** The most of such a time that the thread computed for: the rest of it the machine had other things to do, or the disk. */
  readonly longestBusyMs: number;
  readonly longestCollectionMs: number;
}

interface Block {
  readonly fromMs: number;
  readonly toMs: number;
  /** What is left of it when the machine had better things to do is not ours. */
  readonly scheduledOutMs: number;
  /** How long the thread computed meanwhile, by its own clock. */
  readonly busyMs: number;
}

/** How often the loop is asked to turn, and from which delay on it is remembered. */
const askEveryMs = 1;
const noticedMs = 0.5;

/** More blocks than this are not kept; the longest ones push out the others. */
const blocksMax = 1000;

const reportFile = process.env.BENCH_LOOP_REPORT;
if (isMainThread && reportFile !== undefined && process.argv.includes('serve')) watchOnSignal(reportFile);

function watchOnSignal(file: string): void {
  process.once('SIGUSR2', () => {
    const watch = watchLoop();
    process.once('SIGUSR2', () => {
      // Collections are told of later than they happen.
      setTimeout(() => writeFileSync(file, JSON.stringify(watch.stop())), 100);
    });
  });
}

function watchLoop(): { stop(): LoopReport } {
  const collections: { readonly fromMs: number; readonly toMs: number }[] = [];
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

/** How long this thread was ready to run and did not get a core: the second figure of its line in /proc. */
function waitedMs(): number {
  return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6;
}

/** How long this thread has computed. */
function busyMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
