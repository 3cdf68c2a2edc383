import { setTimeout as delay } from 'node:timers/promises';
import type { Pace } from './pace.ts';
import { groupUsage } from './process-usage.ts';
import type { Progress } from './progress.ts';
import type { Stage } from './stage.ts';
import { median } from './statistics.ts';
import type { Target } from './targets/target.ts';

/** A gateway of several workers beside one of a single process. */
export interface WorkersResult {
  readonly workers: number;
  /** Answers in the same time. The load and the upstream need cores too: few cores show little of it. */
  readonly answersToOne: number;
  /** CPU for an answer, the parent's included: what sharing an address, a store and places costs. */
  readonly cpuToOne: number;
}

interface Contest {
  readonly one: Target;
  readonly several: Target;
  readonly workers: number;
}

const connections = 64;
/** What requests leave to be done later still belongs to them. */
const afterworkMs = 300;

/** Lets both take turns, round after round. */
export async function measureWorkers(
  stage: Stage,
  { one, several, workers }: Contest,
  pace: Pace,
  progress: Progress,
): Promise<WorkersResult> {
  const measured = async ({ address, pid }: Target, durationMs: number) => {
    const before = groupUsage(pid).cpuTicks;
    const load = { workload: 'one-write', connections, durationMs, spreadMs: 50 } as const;
    const reply = await stage.drive({ kind: 'drive', to: [address], ...load });
    await delay(afterworkMs);
    progress.noteFailures(`${workers} workers beside one`, reply);
    return { answers: reply.answers, cpu: (groupUsage(pid).cpuTicks - before) / reply.answers };
  };
  for (const target of [one, several]) await measured(target, pace.cpu.warmUpMs);
  const rounds = [];
  for (let round = 1; round <= pace.cpu.rounds; round += 1) {
    progress.say(`${workers} workers, round ${round} of ${pace.cpu.rounds}`);
    rounds.push({ alone: await measured(one, pace.cpu.roundMs), shared: await measured(several, pace.cpu.roundMs) });
  }
  return {
    workers,
    answersToOne: median(rounds.map(({ alone, shared }) => shared.answers / alone.answers)),
    cpuToOne: median(rounds.map(({ alone, shared }) => shared.cpu / alone.cpu)),
  };
}
