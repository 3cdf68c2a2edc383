import { setTimeout as delay } from 'node:timers/promises';
import type { DriveOrder, Quantiles } from './load-order.ts';
import type { Pace } from './pace.ts';
import { groupUsage } from './process-usage.ts';
import type { Progress } from './progress.ts';
import type { BenchStage } from './stage.ts';
import { median } from './statistics.ts';
import type { Target, TargetName } from './targets/target.ts';
import type { Workload } from './workload.ts';

/** CPU per request of each proxy, relative to the reference, for one workload. */
export interface CpuResult {
  readonly workload: Workload;
  readonly ratios: Partial<Record<TargetName, Spread>>;
  /** Socket reads per answer at the client: close to the number of chunks if they arrived one by one. */
  readonly readsPerAnswer: Partial<Record<TargetName, number>>;
  /** From the request to the end of the answer with every connection busy, relative to the reference. */
  readonly saturated: {
    readonly p50: Partial<Record<TargetName, number>>;
    readonly p99: Partial<Record<TargetName, number>>;
  };
  /** The first answers of each new proxy, for the workload that a start is measured with. */
  readonly cold?: ColdResult;
}

/** CPU per answer of the first answers after the start. */
export interface ColdResult {
  /** Relative to the warm reference, like the other ratios of its workload. */
  readonly toReference: Partial<Record<TargetName, number>>;
  /** Relative to the same process when it is warm. */
  readonly toWarm: Partial<Record<TargetName, number>>;
}

/** The median of the ratios of all rounds, with the lowest and the highest. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Work that requests leave for later, such as writing the log, counts as theirs. */
const afterworkMs = 300;

/** The workload with the shortest answers: it has the largest part that is paid once per answer. */
const coldWorkload = 'one-chunk';
const coldAnswers = 5_000;
const coldWithinMs = 60_000;

/** The proxies under measurement, and the means to measure them. */
export interface CpuBench {
  readonly stage: BenchStage;
  readonly targets: readonly Target[];
  readonly pace: Pace;
  readonly progress: Progress;
  readonly connections: number;
}

/** The first answers of one new proxy. */
export interface ColdStart {
  readonly ticksPerAnswer: number;
  /** The time of the very first answer. */
  readonly firstAnswerMs: number;
}

export type ColdStarts = Partial<Record<TargetName, ColdStart>>;

/**
 * Runs before any other measurement, because a new proxy costs several times as much as a warm one. Measures the first
 * answers of each proxy, then drives each until it is warm.
 */
export async function warmUp({ stage, targets, pace, progress, connections }: CpuBench): Promise<ColdStarts> {
  progress.say('first answers and warm-up');
  const starts: ColdStarts = {};
  for (const target of targets) {
    const first = { ...driveOrder(target, coldWorkload, coldWithinMs, 1), requestsMax: 1, spreadMs: 0 };
    const firstAnswerMs = (await measureOnce(stage, target, first, progress)).wholeMicros.p50 / 1e3;
    const order = { ...driveOrder(target, coldWorkload, coldWithinMs, connections), requestsMax: coldAnswers };
    const { ticksPerAnswer } = await measureOnce(stage, target, order, progress);
    starts[target.name] = { ticksPerAnswer, firstAnswerMs };
    await stage.drive(driveOrder(target, coldWorkload, pace.cpu.firstWarmUpMs, connections));
  }
  return starts;
}

/** Measures the proxies in turn, round after round, so that other work of the machine affects all of them equally. */
export async function measureCpu({ stage, targets, pace, progress, connections }: CpuBench, starts: ColdStarts) {
  const results: CpuResult[] = [];
  for (const workload of ['separate-writes', 'one-write', 'one-chunk'] as const) {
    const rounds: Round[] = [];
    for (const target of targets) {
      await stage.drive(driveOrder(target, workload, pace.cpu.warmUpMs, connections));
    }
    for (let number = 1; number <= pace.cpu.rounds; number += 1) {
      progress.say(`CPU, ${workload}, round ${number} of ${pace.cpu.rounds}`);
      const round: Round = {};
      for (const target of targets) {
        const order = driveOrder(target, workload, pace.cpu.roundMs, connections);
        round[target.name] = await measureOnce(stage, target, order, progress);
      }
      rounds.push(round);
    }
    const cold = workload === coldWorkload && { cold: compareCold(starts, rounds, targets) };
    results.push({ ...compare(workload, rounds, targets), ...cold });
  }
  return results;
}

type Round = Partial<Record<TargetName, Sample>>;

interface Sample {
  readonly ticksPerAnswer: number;
  readonly readsPerAnswer: number;
  readonly wholeMicros: Quantiles;
}

function driveOrder(target: Target, workload: Workload, durationMs: number, connections: number): DriveOrder {
  return { kind: 'drive', to: [target.address], workload, connections, durationMs, spreadMs: 50 };
}

async function measureOnce(stage: BenchStage, target: Target, order: DriveOrder, progress: Progress): Promise<Sample> {
  const before = groupUsage(target.pid).cpuTicks;
  const reply = await stage.drive(order);
  await delay(afterworkMs);
  const ticks = groupUsage(target.pid).cpuTicks - before;
  progress.noteFailures(`${target.name}, ${order.workload}`, reply);
  const { readsPerAnswer, wholeMicros } = reply;
  const ticksPerAnswer = reply.answers === 0 ? Number.NaN : ticks / reply.answers;
  return { ticksPerAnswer, readsPerAnswer, wholeMicros };
}

/** The first target is the reference. Ratios are computed within a round, before the median. */
function compare(workload: Workload, rounds: readonly Round[], targets: readonly Target[]): CpuResult {
  const ratios: Partial<Record<TargetName, Spread>> = {};
  const readsPerAnswer: Partial<Record<TargetName, number>> = {};
  const saturated: CpuResult['saturated'] = { p50: {}, p99: {} };
  const reference = targets[0]?.name ?? 'pipe';
  for (const { name } of targets) {
    const samples = rounds.map((round) => cost(round, name) / cost(round, reference));
    ratios[name] = { median: median(samples), lowest: Math.min(...samples), highest: Math.max(...samples) };
    readsPerAnswer[name] = median(rounds.map((round) => round[name]?.readsPerAnswer ?? Number.NaN));
    for (const quantile of ['p50', 'p99'] as const) {
      const took = (round: Round, who: TargetName) => round[who]?.wholeMicros[quantile] ?? Number.NaN;
      saturated[quantile][name] = median(rounds.map((round) => took(round, name) / took(round, reference)));
    }
  }
  return { workload, ratios, readsPerAnswer, saturated };
}

function compareCold(starts: ColdStarts, rounds: readonly Round[], targets: readonly Target[]): ColdResult {
  const warm = (name: TargetName) => median(rounds.map((round) => cost(round, name)));
  const reference = targets[0]?.name ?? 'pipe';
  const to = (warmOf: (name: TargetName) => TargetName) =>
    Object.fromEntries(
      targets.map(({ name }) => [name, (starts[name]?.ticksPerAnswer ?? Number.NaN) / warm(warmOf(name))]),
    );
  return { toReference: to(() => reference), toWarm: to((name) => name) };
}

function cost(round: Round, name: TargetName): number {
  return round[name]?.ticksPerAnswer ?? Number.NaN;
}
