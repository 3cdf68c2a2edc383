import { setTimeout as delay } from 'node:timers/promises';
import { streamsWithin } from './descriptors.ts';
import type { Pace } from './pace.ts';
import { groupUsage } from './process-usage.ts';
import type { Progress } from './progress.ts';
import type { BenchStage } from './stage.ts';
import type { Target, TargetName } from './targets/target.ts';

/** Resident memory of each proxy, in bytes: a machine runs out of bytes, not of multiples of nginx. */
export interface MemoryResult {
  /** After the start, before the first request. */
  readonly idleMegabytes: ByTarget<number>;
  /** Peak with every connection busy. */
  readonly busyPeakMegabytes: ByTarget<number>;
  readonly slow: readonly SlowStreams[];
}

/** Memory of open streams with little traffic. */
export interface SlowStreams {
  /** The number that was tried. */
  readonly streams: number;
  /** Of each stream that began. */
  readonly kilobytesEach: ByTarget<number>;
  readonly allServed: ByTarget<boolean>;
}

type ByTarget<Value> = Partial<Record<TargetName, Value>>;

/** Starts a new proxy for each measurement, because a used one has memory to grow into. */
export type StartTarget = () => Promise<Target | undefined>;

const warmUpMs = 500;
const busyConnections = 64;

export async function measureMemory(stage: BenchStage, starts: readonly StartTarget[], pace: Pace, progress: Progress) {
  const counts = pace.memory.streams.map((streams) => streamsWithin(streams));
  const found: Growth[] = [];
  for (const start of starts) {
    const target = await start();
    if (target === undefined) continue;
    const growth = await measureGrowth({ stage, target, pace, progress }, counts);
    await target.stop();
    const busyTarget = await start();
    if (busyTarget === undefined) continue;
    found.push({ ...growth, busyPeakMegabytes: await measureBusy({ stage, target: busyTarget, pace, progress }) });
    await busyTarget.stop();
  }
  return gathered(found, counts);
}

interface Measured {
  readonly stage: BenchStage;
  readonly target: Target;
  readonly pace: Pace;
  readonly progress: Progress;
}

interface Growth {
  readonly name: TargetName;
  readonly idleMegabytes: number;
  readonly busyPeakMegabytes: number;
  /** For the smaller and the larger number of streams. */
  readonly kilobytesEach: readonly number[];
  readonly allServed: readonly boolean[];
}

async function measureGrowth(
  { stage, target, pace, progress }: Measured,
  counts: readonly number[],
): Promise<Omit<Growth, 'busyPeakMegabytes'>> {
  const to = target.address;
  await delay(pace.memory.settleMs);
  const idleMegabytes = groupUsage(target.pid).residentKilobytes / 1024;
  await stage.drive({
    kind: 'drive',
    to: [to],
    workload: 'one-write',
    connections: 8,
    durationMs: warmUpMs,
    spreadMs: 0,
  });
  const before = groupUsage(target.pid).residentKilobytes;
  const kilobytesEach: number[] = [];
  const served: boolean[] = [];
  let open = 0;
  let begun = 0;
  for (const streams of counts) {
    progress.say(`memory, ${target.name}, ${streams} open streams`);
    const reply = await stage.hold({ kind: 'hold', to, count: streams - open });
    progress.noteFailures(`${target.name}, opening ${streams} streams`, reply);
    open = streams;
    begun += reply.served;
    await delay(pace.memory.settleMs);
    kilobytesEach.push((groupUsage(target.pid).residentKilobytes - before) / begun);
    served.push(reply.failures === 0);
  }
  const ends = await stage.releaseHeld();
  progress.noteFailures(`${target.name}, ending ${open} streams`, ends);
  const allServed = served.map((begun) => begun && ends.failures === 0);
  return { name: target.name, idleMegabytes, kilobytesEach, allServed };
}

/** Measures both ways of writing an answer, because each has its own peak. */
async function measureBusy({ stage, target, pace, progress }: Measured): Promise<number> {
  for (const workload of ['separate-writes', 'one-write'] as const) {
    progress.say(`memory, ${target.name}, ${busyConnections} busy connections`);
    const to = [target.address] as const;
    const durationMs = pace.memory.busyMs;
    const order = { kind: 'drive', to, workload, connections: busyConnections, durationMs, spreadMs: 50 } as const;
    progress.noteFailures(`${target.name}, ${workload}, memory`, await stage.drive(order));
  }
  return groupUsage(target.pid).peakKilobytes / 1024;
}

function gathered(found: readonly Growth[], counts: readonly number[]): MemoryResult {
  const of = <Value>(value: (growth: Growth) => Value): ByTarget<Value> =>
    Object.fromEntries(found.map((growth) => [growth.name, value(growth)]));
  return {
    idleMegabytes: of(({ idleMegabytes }) => idleMegabytes),
    busyPeakMegabytes: of(({ busyPeakMegabytes }) => busyPeakMegabytes),
    slow: counts.map((streams, index) => ({
      streams,
      kilobytesEach: of(({ kilobytesEach }) => kilobytesEach[index] ?? Number.NaN),
      allServed: of(({ allServed }) => allServed[index] ?? false),
    })),
  };
}
