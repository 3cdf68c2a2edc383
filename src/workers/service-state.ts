import type { ReadinessCheck } from '../surfaces/health.ts';
import { type WorkerFigures, sumOf } from './figures.ts';

/** The readiness and the load of one process, or of all processes together. */
export interface ServiceState {
  readonly checks: readonly ReadinessCheck[];
  readonly figures: WorkerFigures;
}

/**
 * The state of the service, from the last states of its workers; `undefined` for a worker that has been silent for too
 * long. The service is ready while one worker is. Otherwise it reports the checks of the worker with the fewest
 * problems. Every worker returns the same.
 */
export function serviceState(states: readonly (ServiceState | undefined)[]): ServiceState {
  const known = states.filter((state) => state !== undefined);
  const checks = known.map((state) => state.checks);
  const ready = checks.filter((each) => problemsIn(each) === 0).length;
  const [best = []] = checks.toSorted((one, other) => problemsIn(one) - problemsIn(other));
  const note = ready === states.length ? undefined : `${ready} of ${states.length} are ready.`;
  const problem = ready === 0 ? 'None of the workers is ready.' : undefined;
  return {
    checks: [...best, { name: 'workers', problem, note }],
    figures: sumOf(known.map(({ figures }) => figures)),
  };
}

function problemsIn(checks: readonly ReadinessCheck[]): number {
  return checks.filter(({ problem }) => problem !== undefined).length;
}
