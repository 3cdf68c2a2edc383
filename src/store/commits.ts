import { type Job, type Task, taskOf } from './job.ts';
import type { RunTasks } from './run-tasks.ts';

/** Writes that wait for another commit to share: a commit costs far more than the writes in it. */
export interface PiggybackSource {
  /**
   * The write to add to the commit that starts now, if there is one. `taken` or `refused` is called on it exactly once.
   */
  next(): PiggybackedWrite | undefined;
}

export interface PiggybackedWrite {
  readonly task: Task;
  /** Called with the result of the task. */
  taken(result: unknown): void;
  /** As far as is known, nothing of it was written. The source must write it in another way. */
  refused(error: unknown): void;
}

export interface Commits {
  /** Runs a job in one transaction. */
  commit<Input, Result>(job: Job<Input, Result>, input: Input): Promise<Result>;
  /** Runs a job in one transaction with the pending piggybacked writes. */
  commitTogether<Input, Result>(job: Job<Input, Result>, input: Input): Promise<Result>;
  /** Registers a source of writes for every later `commitTogether`. Returns the function that removes it. */
  piggyback(piggybackSource: PiggybackSource): () => void;
}

export function commits(run: RunTasks): Commits {
  const piggybackSources = new Set<PiggybackSource>();

  async function withPiggybacked(task: Task, piggybacked: readonly PiggybackedWrite[]): Promise<unknown> {
    try {
      const [result, ...others] = await run([task, ...piggybacked.map((piggybackedWrite) => piggybackedWrite.task)]);
      for (const [at, piggybackedWrite] of piggybacked.entries()) piggybackedWrite.taken(others[at]);
      return result;
    } catch (error) {
      for (const piggybackedWrite of piggybacked) piggybackedWrite.refused(error);
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
      const piggybacked = [...piggybackSources].flatMap((piggybackSource) => piggybackSource.next() ?? []);
      return (await withPiggybacked(taskOf(job, input), piggybacked)) as Result;
    },
    piggyback(piggybackSource) {
      piggybackSources.add(piggybackSource);
      return () => piggybackSources.delete(piggybackSource);
    },
  };
}
