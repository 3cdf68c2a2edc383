import type { ReadinessCheck } from '../../serving/surfaces/health.ts';
import type { Rates } from '../../money/requests/request-rates.ts';

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

/** The current load of one process, or of all processes together. */
export interface WorkerFigures {
  /** In-flight requests. */
  readonly requests: number;
  /** Running retries, and the limit of the retry budget. */
  readonly retries: { readonly inUse: number; readonly limit: number };
  readonly rates: Rates;
}

export function sumOf(figures: readonly WorkerFigures[]): WorkerFigures {
  return figures.reduce(add, nothing);
}

const nothing: WorkerFigures = {
  requests: 0,
  retries: { inUse: 0, limit: 0 },
  rates: { requests: 0, errors: 0, promptTokens: 0, completionTokens: 0 },
};

function add(one: WorkerFigures, other: WorkerFigures): WorkerFigures {
  return {
    requests: one.requests + other.requests,
    retries: { inUse: one.retries.inUse + other.retries.inUse, limit: one.retries.limit + other.retries.limit },
    rates: {
      requests: one.rates.requests + other.rates.requests,
      errors: one.rates.errors + other.rates.errors,
      promptTokens: one.rates.promptTokens + other.rates.promptTokens,
      completionTokens: one.rates.completionTokens + other.rates.completionTokens,
    },
  };
}
