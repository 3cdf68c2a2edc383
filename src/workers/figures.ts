import type { Rates } from '../requests/request-rates.ts';

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
