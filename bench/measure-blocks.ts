import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoopReport } from './loop-watch.ts';
import type { Pace } from './pace.ts';
import type { Progress } from './progress.ts';
import type { BenchStage } from './stage.ts';
import type { Target } from './targets/target.ts';
import type { Workload } from './workload.ts';

/** Starts a gateway with these modules loaded first and these variables in its environment. */
export type StartWatched = (watch: {
  readonly imports: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}) => Promise<Target>;

const connections = 64;
const reportWithinMs = 10_000;

/** Measures the longest block of the event loop with every connection busy. */
export async function measureBlocks(
  stage: BenchStage,
  start: StartWatched,
  pace: Pace,
  progress: Progress,
): Promise<LoopReport> {
  const file = join(stage.directory, 'loop.json');
  const imports = [new URL('./loop-watch.ts', import.meta.url).href];
  const target = await start({ imports, env: { BENCH_LOOP_REPORT: file } });
  const driveOne = async (workload: Workload, durationMs: number) => {
    const to = [target.address] as const;
    progress.say(`blocks of the event loop, ${workload}`);
    const reply = await stage.drive({ kind: 'drive', to, workload, connections, durationMs, spreadMs: 50 });
    progress.noteFailures(`${target.name}, ${workload}, event loop`, reply);
  };
  const drive = async (durationMs: number) => {
    for (const workload of ['separate-writes', 'one-write'] as const) await driveOne(workload, durationMs);
  };
  await driveOne('one-chunk', pace.cpu.firstWarmUpMs);
  await drive(pace.cpu.warmUpMs);
  process.kill(target.pid, 'SIGUSR2');
  await drive(pace.blocks.busyMs);
  process.kill(target.pid, 'SIGUSR2');
  const report = await readReport(file);
  await target.stop();
  return report;
}

async function readReport(file: string): Promise<LoopReport> {
  const deadline = Date.now() + reportWithinMs;
  while (!existsSync(file)) {
    if (Date.now() > deadline) throw new Error('the gateway wrote no report about its event loop');
    await delay(50);
  }
  await delay(50);
  return JSON.parse(readFileSync(file, 'utf8')) as LoopReport;
}
