import type { DriveOrder } from './load-order.ts';
import type { Pace } from './pace.ts';
import type { Progress } from './progress.ts';
import type { Stage } from './stage.ts';
import { median } from './statistics.ts';
import type { Target } from './targets/target.ts';

/** What several processes serve over what one of them serves. */
export interface WorkersResult {
  readonly processes: number;
  readonly answersToOne: number;
}

const connections = 64;

/**
 * Processes with a store and a port each, among which the load's connections take turns: what the machine has to give,
 * before the processes share anything. The load and the upstream need cores too, so few cores show little.
 */
export async function measureWorkers(
  stage: Stage,
  gateways: readonly [Target, ...Target[]],
  pace: Pace,
  progress: Progress,
): Promise<WorkersResult> {
  const [first, ...others] = gateways;
  const one: DriveOrder['to'] = [first.address];
  const all: DriveOrder['to'] = [first.address, ...others.map(({ address }) => address)];
  const served = async (to: DriveOrder['to'], durationMs: number) => {
    const reply = await stage.drive({
      kind: 'drive',
      to,
      workload: 'one-write',
      connections,
      durationMs,
      spreadMs: 50,
    });
    progress.noteFailures(`${to.length} gateways`, reply);
    return reply.answers;
  };
  await served(all, pace.cpu.warmUpMs);
  const ratios: number[] = [];
  for (let round = 1; round <= pace.cpu.rounds; round += 1) {
    progress.say(`${gateways.length} processes, round ${round} of ${pace.cpu.rounds}`);
    const alone = await served(one, pace.cpu.roundMs);
    ratios.push((await served(all, pace.cpu.roundMs)) / alone);
  }
  return { processes: gateways.length, answersToOne: median(ratios) };
}
