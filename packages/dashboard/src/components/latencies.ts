import type { OwnOverview } from '../api/wire.ts';

/** The value that half of the requests, and 95 of 100, do not exceed. Null if nothing was measured. */
export interface Percentiles {
  readonly p50: number | null;
  readonly p95: number | null;
}

export type LatencyFigures = Pick<
  OwnOverview['totals'],
  | 'queue_ms_p50'
  | 'queue_ms_p95'
  | 'first_token_ms_p50'
  | 'first_token_ms_p95'
  | 'tokens_per_second_p50'
  | 'tokens_per_second_p95'
>;

export function latenciesOf(figures: LatencyFigures): Readonly<Record<'wait' | 'firstToken' | 'speed', Percentiles>> {
  return {
    wait: { p50: figures.queue_ms_p50, p95: figures.queue_ms_p95 },
    firstToken: { p50: figures.first_token_ms_p50, p95: figures.first_token_ms_p95 },
    speed: { p50: figures.tokens_per_second_p50, p95: figures.tokens_per_second_p95 },
  };
}
