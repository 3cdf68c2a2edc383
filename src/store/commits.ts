import { type Job, type Task, taskOf } from './job.ts';
import type { RunTasks } from './run-tasks.ts';

/** Work that waits to share somebody's commit: a commit costs far more than what is in it. */
export interface Companion {
  /** Something to take along now, if there is anything. It is told once what became of it. */
  next(): Passenger | undefined;
}

export interface Passenger {
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
  takeAlong(companion: Companion): () => void;
}

export function commits(run: RunTasks): Commits {
  const companions = new Set<Companion>();

  async function withCompany(task: Task, company: readonly Passenger[]): Promise<unknown> {
    try {
      const [result, ...others] = await run([task, ...company.map((passenger) => passenger.task)]);
      for (const [at, passenger] of company.entries()) passenger.taken(others[at]);
      return result;
    } catch (error) {
      for (const passenger of company) passenger.refused(error);
      if (company.length === 0) throw error;
      // It may have been the company: nobody else fails for that.
      return withCompany(task, []);
    }
  }

  return {
    async commit<Input, Result>(job: Job<Input, Result>, input: Input) {
      return (await withCompany(taskOf(job, input), [])) as Result;
    },
    async commitTogether<Input, Result>(job: Job<Input, Result>, input: Input) {
      const company = [...companions].flatMap((companion) => companion.next() ?? []);
      return (await withCompany(taskOf(job, input), company)) as Result;
    },
    takeAlong(companion) {
      companions.add(companion);
      return () => companions.delete(companion);
    },
  };
}
