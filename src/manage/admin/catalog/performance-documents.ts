import { z } from 'zod';
import { type Percentiles, percentilesOf } from '../../../money/requests/rollups/histograms.ts';
import type { Performance, PerformanceFigures } from '../../../money/requests/rollups/performance-spans.ts';
import { speedPercentiles, speedPercentilesDocument } from '../usage/percentile-documents.ts';

const figures = {
  uptime: z
    .number()
    .nullable()
    .describe('Share that was answered, from 0 to 1, of the requests that the provider could have answered.'),
  ...speedPercentiles,
};

/** Minimum number of requests for a figure. With fewer, an account could infer the requests of others. */
export const samplesMin = 10;

const ownFigures = z.strictObject(figures);
const ownSpans = z.strictObject({ day: ownFigures, week: ownFigures, month: ownFigures });

export const ownPerformanceSchema = ownSpans.describe(
  `Performance in the last 24 hours, 7 days and 30 days, over the requests of all accounts. Rounded. Null with fewer than ${samplesMin} requests.`,
);
export const ownPerformanceShape = {
  name: 'OwnPerformance',
  schema: ownSpans,
  inside: [{ name: 'OwnPerformanceFigures', schema: ownFigures }],
};

const allFigures = z.strictObject({
  ...figures,
  answered: z.int(),
  failed: z
    .int()
    .describe('Failures caused by the provider. Failures caused by the client, or by a lack of funds, do not count.'),
  timed: z.int().describe('Answers with a known time to the first token.'),
  paced: z.int().describe('Answers with a known output speed.'),
});
const allSpans = z.strictObject({ day: allFigures, week: allFigures, month: allFigures });

export const performanceSchema = allSpans.describe('Performance in the last 24 hours, 7 days and 30 days.');
export const performanceShape = {
  name: 'Performance',
  schema: allSpans,
  inside: [{ name: 'PerformanceFigures', schema: allFigures }],
};

export function performanceDocument({ day, week, month }: Performance): z.input<typeof performanceSchema> {
  return { day: exactFigures(day), week: exactFigures(week), month: exactFigures(month) };
}

function exactFigures(figuresWithin: PerformanceFigures): z.input<typeof allFigures> {
  const { answered, failed, histograms } = figuresWithin;
  const { first_token_ms: firstToken, tokens_per_second: speeds } = percentilesOf(histograms);
  const uptime = uptimeOf(figuresWithin, 1);
  return {
    uptime: uptime && rounded(uptime, 5),
    ...speedPercentilesDocument(firstToken, speeds),
    answered,
    failed,
    timed: firstToken.count,
    paced: speeds.count,
  };
}

export function ownPerformanceDocument({ day, week, month }: Performance): z.input<typeof ownPerformanceSchema> {
  return { day: roundedFigures(day), week: roundedFigures(week), month: roundedFigures(month) };
}

/** Rounded, so that a single request of another account does not show. */
function roundedFigures(figuresWithin: PerformanceFigures): z.input<typeof ownFigures> {
  const uptime = uptimeOf(figuresWithin, samplesMin);
  const { first_token_ms: firstToken, tokens_per_second: speeds } = percentilesOf(figuresWithin.histograms);
  return { uptime: uptime && roundedShare(uptime), ...roundedPercentiles(firstToken, speeds) };
}

function roundedPercentiles(firstToken: Percentiles, speeds: Percentiles) {
  const exact = speedPercentilesDocument(ofEnough(firstToken), ofEnough(speeds));
  const entries = Object.entries(exact).map(([name, value]) => [name, value && rounded(value, 2)]);
  return Object.fromEntries(entries) as typeof exact;
}

function ofEnough(found: Percentiles): Percentiles {
  return found.count < samplesMin ? { ...found, p50: null, p95: null } : found;
}

/** Null with fewer than `least` requests. */
export function uptimeOf({ answered, failed }: PerformanceFigures, least: number): number | null {
  return answered + failed < least ? null : answered / (answered + failed);
}

/** Rounds down, so that 1 means that nothing failed. */
export function roundedShare(share: number): number {
  return Math.floor(share * 1000) / 1000;
}

function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
