import type { ReadinessCheck } from '../surfaces/health.ts';
import { type WorkerFigures, sumOf } from './figures.ts';

/** How a process is doing, or all of them together. */
export interface ServiceState {
  readonly checks: readonly ReadinessCheck[];
  readonly figures: WorkerFigures;
}

/**
 * How the service is doing, by what its workers last said; nothing where one has said nothing for too long. It is ready
 * while one of them is, and otherwise as well as the best of them. Whoever asks is told the same, whichever worker it
 * reached.
 */
export function serviceState(states: readonly (ServiceState | undefined)[]): ServiceState {
  const heard = states.filter((state) => state !== undefined);
  const checks = heard.map((state) => state.checks);
  const ready = checks.filter((each) => problemsIn(each) === 0).length;
  const [best = []] = checks.toSorted((one, other) => problemsIn(one) - problemsIn(other));
  const note = ready === states.length ? undefined : `${ready} of ${states.length} are ready.`;
  const problem = ready === 0 ? 'None of the workers is ready.' : undefined;
  return {
    checks: [...best, { name: 'workers', problem, note }],
    figures: sumOf(heard.map(({ figures }) => figures)),
  };
}

function problemsIn(checks: readonly ReadinessCheck[]): number {
  return checks.filter(({ problem }) => problem !== undefined).length;
}
