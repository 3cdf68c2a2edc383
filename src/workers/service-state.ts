import type { ReadinessCheck } from '../surfaces/health.ts';

/** What a worker last said of itself; nothing where it has said nothing for too long. */
export type WorkerState = readonly ReadinessCheck[] | undefined;

/**
 * How the service is doing: ready while one of its workers is, and otherwise as well as the best of them. Whoever asks is
 * told the same, whichever worker it reached.
 */
export function serviceState(states: readonly WorkerState[]): readonly ReadinessCheck[] {
  const heard = states.filter((checks) => checks !== undefined);
  const ready = heard.filter((checks) => problemsIn(checks) === 0).length;
  const [best = []] = heard.toSorted((one, other) => problemsIn(one) - problemsIn(other));
  const note = ready === states.length ? undefined : `${ready} of ${states.length} are ready.`;
  const problem = ready === 0 ? 'None of the workers is ready.' : undefined;
  return [...best, { name: 'workers', problem, note }];
}

function problemsIn(checks: readonly ReadinessCheck[]): number {
  return checks.filter(({ problem }) => problem !== undefined).length;
}
