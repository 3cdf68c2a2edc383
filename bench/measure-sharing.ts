import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pace } from './pace.ts';
import { groupUsage, treeTicks } from './process-usage.ts';
import type { Progress } from './progress.ts';
import type { Stage } from './stage.ts';
import { median } from './statistics.ts';
import type { Target } from './targets/target.ts';

/** One way to run the gateway, beside the first one that is measured. */
export interface SharingResult {
  readonly name: string;
  /** Answers in the same time. */
  readonly answersToOne: number;
  /**
   * The same, as far as the cores of this machine allow it: where the load and the upstream need a part of them, two
   * processes cannot give twice as many answers.
   */
  readonly answersToPossible: number;
  /** CPU of the gateway for an answer, parents included: what sharing an address, a store and places costs. */
  readonly cpuToOne: number;
  /** How many cores the gateway's processes had, and how many the load and the upstream had. */
  readonly gatewayCores: number;
  readonly loadCores: number;
  /** CPU of the database for an answer, in that of the gateway. */
  readonly databaseCpu: number | undefined;
}

/** What answers together behind one or several addresses. */
export interface Contestant {
  readonly name: string;
  readonly targets: readonly [Target, ...Target[]];
  readonly processes: number;
  /** The process that runs its database, if that is one of its own. */
  readonly databasePid?: number | undefined;
}

/** So many that a core is full although every answer waits for a commit: with few, the disk decides how many answers there are. */
const connections = 512;
/** What requests leave to be done later still belongs to them. */
const afterworkMs = 300;

interface Round {
  readonly answers: number;
  /** In ticks for an answer. */
  readonly cpu: number;
  readonly loadCpu: number;
  readonly databaseCpu: number | undefined;
  readonly gatewayCores: number;
  readonly loadCores: number;
}

/** Lets all take turns, round after round; the first one is what the others are compared with. */
export async function measureSharing(
  stage: Stage,
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

async function oneRound(stage: Stage, contestant: Contestant, durationMs: number, progress: Progress): Promise<Round> {
  const [first, ...others] = contestant.targets.map(({ address }) => address);
  if (!first) throw new Error('nobody to measure');
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

/** How many times the answers of one process so many could give, if they did no more work for each and used all cores. */
function possible(one: Round, processes: number): number {
  const allCores = (availableParallelism() * one.cpu) / (one.cpu + one.loadCpu) / Math.min(1, one.gatewayCores);
  return Math.min(processes, allCores);
}

/** Linux counts in hundredths of a second. */
const msPerTick = 10;
