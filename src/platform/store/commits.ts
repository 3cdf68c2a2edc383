import { type Job, type Task, taskOf } from './job.ts';
import type { RunTasks } from './run-tasks.ts';

/** The write to add to the commit that starts now, if any. `taken` or `refused` is called on it exactly once. */
export type PiggybackSource = () => PiggybackedWrite | undefined;

export interface PiggybackedWrite {
  readonly task: Task;
  taken(result: unknown): void;
  /** As far as is known, nothing of it was written. The source must write it in another way. */
  refused(error: unknown): void;
}

export interface Commits {
  commit<Input, Result>(job: Job<Input, Result>, input: Input): Promise<Result>;
  /** Runs a job in one transaction with the pending piggybacked writes. */
  commitTogether<Input, Result>(job: Job<Input, Result>, input: Input): Promise<Result>;
  /** Registers a source of writes for every later `commitTogether`. Returns the function that removes it. */
  piggyback(source: PiggybackSource): () => void;
}

export function commits(run: RunTasks): Commits {
  const sources = new Set<PiggybackSource>();

  async function withPiggybacked(task: Task, piggybacked: readonly PiggybackedWrite[]): Promise<unknown> {
    try {
      const [result, ...others] = await run([task, ...piggybacked.map((write) => write.task)]);
      for (const [at, write] of piggybacked.entries()) write.taken(others[at]);
      return result;
    } catch (error) {
      for (const write of piggybacked) write.refused(error);
      if (piggybacked.length === 0) throw error;
      // A piggybacked write may be the cause, and must not fail this task: retry without them.
      return withPiggybacked(task, []);
    }
  }

  return {
    async commit<Input, Result>(job: Job<Input, Result>, input: Input) {
      return (await withPiggybacked(taskOf(job, input), [])) as Result;
    },
    async commitTogether<Input, Result>(job: Job<Input, Result>, input: Input) {
      const piggybacked = [...sources].flatMap((next) => next() ?? []);
      return (await withPiggybacked(taskOf(job, input), piggybacked)) as Result;
    },
    piggyback(source) {
      sources.add(source);
      return () => sources.delete(source);
    },
  };
}
