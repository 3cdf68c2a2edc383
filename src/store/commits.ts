import { type Job, type Task, taskOf } from './job.ts';
import type { RunTasks } from './run-tasks.ts';

/** Work that waits to share somebody's commit: a commit costs far more than what is in it. */
export interface PiggybackSource {
  /** Something to take along now, if there is anything. It is told once what became of it. */
  next(): PiggybackedWrite | undefined;
}

export interface PiggybackedWrite {
  readonly task: Task;
  /** Told what came of its task. */
  taken(result: unknown): void;
  /** Nothing of it was written, as far as is known: it goes on its own way. */
  refused(error: unknown): void;
}

export interface Commits {
  /** Runs a job in one transaction, wholly beside the database. */
  commit<Input, Result>(job: Job<Input, Result>, input: Input): Promise<Result>;
  /** The same, in one transaction with what was to be taken along. */
  commitTogether<Input, Result>(job: Job<Input, Result>, input: Input): Promise<Result>;
  /** From now on whoever commits together asks this one too. Returns how to leave. */
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
      // It may have been the piggybacked: nobody else fails for that.
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
