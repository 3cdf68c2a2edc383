import { setTimeout as delay } from 'node:timers/promises';
import type { Pace } from './pace.ts';
import { groupUsage } from './process-usage.ts';
import type { Progress } from './progress.ts';
import type { Stage } from './stage.ts';
import type { Target, TargetName } from './targets/target.ts';

/** What an open stream costs in memory, over what it costs the bare pipe. */
export interface MemoryResult {
  readonly streams: number;
  readonly toPipe: Partial<Record<TargetName, number>>;
  readonly allServed: Partial<Record<TargetName, boolean>>;
}

/** Starts a proxy of its own for each measurement: one that has worked before would grow into memory it already has. */
export type StartTarget = () => Promise<Target | undefined>;

const warmUpMs = 500;

export async function measureMemory(stage: Stage, starts: readonly StartTarget[], pace: Pace, progress: Progress) {
  const growths: Growth[] = [];
  for (const start of starts) {
    const target = await start();
    if (target === undefined) continue;
    progress.say(`memory, ${target.name}, up to ${pace.memory.streams[1]} open streams`);
    growths.push(await measureGrowth(stage, target, pace, progress));
    await target.stop();
  }
  return pace.memory.streams.map((streams, index) => compare(streams, index, growths));
}

interface Growth {
  readonly name: TargetName;
  /** Resident pages per stream, for the fewer and for the more streams. */
  readonly pagesPerStream: readonly number[];
  readonly allServed: readonly boolean[];
}

async function measureGrowth(stage: Stage, target: Target, pace: Pace, progress: Progress): Promise<Growth> {
  const to = target.address;
  await stage.drive({ kind: 'drive', to, workload: 'one-write', connections: 8, durationMs: warmUpMs, spreadMs: 0 });
  const before = groupUsage(target.pid).residentPages;
  const pagesPerStream: number[] = [];
  const served: boolean[] = [];
  let open = 0;
  for (const streams of pace.memory.streams) {
    const reply = await stage.hold({ kind: 'hold', to, count: streams - open });
    progress.noteFailures(`${target.name}, opening ${streams} streams`, reply);
    open = streams;
    await delay(pace.memory.settleMs);
    pagesPerStream.push((groupUsage(target.pid).residentPages - before) / streams);
    served.push(reply.failures === 0);
  }
  const ends = await stage.releaseHeld();
  progress.noteFailures(`${target.name}, ending ${open} streams`, ends);
  return { name: target.name, pagesPerStream, allServed: served.map((begun) => begun && ends.failures === 0) };
}

function compare(streams: number, index: number, growths: readonly Growth[]): MemoryResult {
  const pipe = growths.find((growth) => growth.name === 'pipe')?.pagesPerStream[index] ?? Number.NaN;
  const toPipe: MemoryResult['toPipe'] = {};
  const allServed: MemoryResult['allServed'] = {};
  for (const growth of growths) {
    toPipe[growth.name] = (growth.pagesPerStream[index] ?? Number.NaN) / pipe;
    allServed[growth.name] = growth.allServed[index] ?? false;
  }
  return { streams, toPipe, allServed };
}
