import { z } from 'zod';
import { type Histograms, type Percentiles, percentilesOf } from '../../../money/requests/rollups/histograms.ts';

const time = z.int().nullable();
const speed = z.number().nullable();

export const speedPercentiles = {
  first_token_ms_p50: time.describe(
    'Median time to the first token. At most 5 % from the exact value; null without data.',
  ),
  first_token_ms_p95: time.describe('95 % of the answers began in this time or less.'),
  tokens_per_second_p50: speed.describe('Median output speed, from the first token on.'),
  tokens_per_second_p95: speed.describe('95 % of the answers had this output speed or a lower one.'),
};

export const percentiles = {
  queue_ms_p50: time.describe(
    'Median time in the queue, over the requests that reached it. At most 5 % from the exact value; null without data.',
  ),
  queue_ms_p95: time.describe('95 % of the requests waited this long or less.'),
  ...speedPercentiles,
};

export function percentilesDocument(histograms: Histograms) {
  const { queue_ms: queue, first_token_ms: firstToken, tokens_per_second: speeds } = percentilesOf(histograms);
  return {
    queue_ms_p50: milliseconds(queue.p50),
    queue_ms_p95: milliseconds(queue.p95),
    ...speedPercentilesDocument(firstToken, speeds),
  };
}

export function speedPercentilesDocument(firstToken: Percentiles, speeds: Percentiles) {
  return {
    first_token_ms_p50: milliseconds(firstToken.p50),
    first_token_ms_p95: milliseconds(firstToken.p95),
    tokens_per_second_p50: threeDigits(speeds.p50),
    tokens_per_second_p95: threeDigits(speeds.p95),
  };
}

function milliseconds(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

function threeDigits(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(3));
}
