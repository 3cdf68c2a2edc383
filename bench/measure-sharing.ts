import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pace } from './pace.ts';
import { groupUsage, treeTicks } from './process-usage.ts';
import type { Progress } from './progress.ts';
import type { BenchStage } from './stage.ts';
import { median } from './statistics.ts';
import type { Target } from './targets/target.ts';

/** One way to run the gateway, compared with the first one measured. */
export interface SharingResult {
  readonly name: string;
  /** Answers in the same time. */
  readonly answersToOne: number;
  /**
   * The same, relative to the capacity of this machine. The load and the upstream use a part of the cores, so two
   * processes cannot give twice as many answers.
   */
  readonly answersToPossible: number;
  /** CPU of the gateway per answer, including parents: the cost of sharing an address, a store and slots. */
  readonly cpuToOne: number;
  /** Cores used by the gateway's processes, and by the load and the upstream. */
  readonly gatewayCores: number;
  readonly loadCores: number;
  /** CPU of the database per answer, relative to that of the gateway. */
  readonly databaseCpu: number | undefined;
}

/** The gateways of one set-up, behind one or several addresses. */
export interface Contestant {
  readonly name: string;
  readonly targets: readonly [Target, ...Target[]];
  readonly processes: number;
  /** The process of its database, if it has one. */
  readonly databasePid?: number | undefined;
}

/**
 * Enough connections to fill a core although every answer waits for a commit. With few connections, the disk limits the
 * number of answers.
 */
const connections = 512;
/** Work that requests leave for later counts as theirs. */
const afterworkMs = 300;

interface Round {
  readonly answers: number;
  /** CPU ticks per answer. */
  readonly cpu: number;
  readonly loadCpu: number;
  readonly databaseCpu: number | undefined;
  readonly gatewayCores: number;
  readonly loadCores: number;
}

/** Measures all set-ups in turn, round after round. The first one is the reference. */
export async function measureSharing(
  stage: BenchStage,
  contestants: readonly [Contestant, ...Contestant[]],
  pace: Pace,
  progress: Progress,
): Promise<readonly SharingResult[]> {
  for (const each of contestants) await oneRound(stage, each, pace.cpu.warmUpMs, progress);
  const rounds: Round[][] = [];
  for (let round = 1; round <= pace.cpu.rounds; round += 1) {
    progress.say(`sharing, round ${round} of ${pace.cpu.rounds}`);
    const measured: Round[] = [];
    for (const each of contestants) measured.push(await oneRound(stage, each, pace.cpu.roundMs, progress));
    rounds.push(measured);
  }
  return contestants.map((each, index) =>
    resultOf(
      each,
      rounds.map((measured) => [measured[0], measured[index]]),
    ),
  );
}

async function oneRound(
  stage: BenchStage,
  contestant: Contestant,
  durationMs: number,
  progress: Progress,
): Promise<Round> {
  const [first, ...others] = contestant.targets.map(({ address }) => address);
  if (!first) throw new Error('there is no set-up to measure');
  const ticks = () => ({
    gateway: contestant.targets.reduce((sum, { pid }) => sum + groupUsage(pid).cpuTicks, 0),
    load: stage.pids.reduce((sum, pid) => sum + groupUsage(pid).cpuTicks, 0),
    database: contestant.databasePid === undefined ? 0 : treeTicks(contestant.databasePid),
  });
  const [before, beganMs] = [ticks(), performance.now()];
  const load = { workload: 'one-write', connections, durationMs, spreadMs: 50 } as const;
  const reply = await stage.drive({ kind: 'drive', to: [first, ...others], ...load });
  const tookMs = performance.now() - beganMs;
  await delay(afterworkMs);
  const after = ticks();
  progress.noteFailures(contestant.name, reply);
  const [gateway, loading] = [after.gateway - before.gateway, after.load - before.load];
  const cores = (used: number): number => (used * msPerTick) / tookMs;
  return {
    answers: reply.answers,
    cpu: gateway / reply.answers,
    loadCpu: loading / reply.answers,
    databaseCpu: contestant.databasePid === undefined ? undefined : (after.database - before.database) / reply.answers,
    gatewayCores: cores(gateway),
    loadCores: cores(loading),
  };
}

function resultOf({ name, processes }: Contestant, rounds: readonly (readonly [Round?, Round?])[]): SharingResult {
  const pairs = rounds.flatMap(([one, own]) => (one && own ? [{ one, own }] : []));
  const of = (figure: (pair: { one: Round; own: Round }) => number): number => median(pairs.map(figure));
  return {
    name,
    answersToOne: of(({ one, own }) => own.answers / one.answers),
    answersToPossible: of(({ one, own }) => own.answers / one.answers / possible(one, processes)),
    cpuToOne: of(({ one, own }) => own.cpu / one.cpu),
    gatewayCores: of(({ own }) => own.gatewayCores),
    loadCores: of(({ own }) => own.loadCores),
    databaseCpu:
      pairs[0]?.own.databaseCpu === undefined ? undefined : of(({ own }) => (own.databaseCpu ?? 0) / own.cpu),
  };
}

/**
 * How many times the answers of one process this number of processes could give, with the same work per answer and all
 * cores in use.
 */
function possible(one: Round, processes: number): number {
  const allCores = (availableParallelism() * one.cpu) / (one.cpu + one.loadCpu) / Math.min(1, one.gatewayCores);
  return Math.min(processes, allCores);
}

/** Linux counts CPU time in hundredths of a second. */
const msPerTick = 10;
