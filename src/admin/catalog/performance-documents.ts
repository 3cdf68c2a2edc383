import { z } from 'zod';
import type { PerformanceSums } from '../../requests/rollups/performance.ts';
import type { Performance } from '../../requests/rollups/performance-spans.ts';

const figures = {
  uptime: z
    .number()
    .nullable()
    .describe('Share that was answered, from 0 to 1, of the requests that the provider could have answered.'),
  first_token_ms: z.int().nullable().describe('Mean time to the first token.'),
  tokens_per_second: z.number().nullable().describe('Mean output speed, from the first token on.'),
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
  timed: z.int().describe('Answers included in `first_token_ms`.'),
  paced: z.int().describe('Answers included in `tokens_per_second`.'),
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

function exactFigures(sums: PerformanceSums): z.input<typeof allFigures> {
  const { answered, failed, timed, paced } = sums;
  const { uptime, firstTokenMs, tokensPerSecond } = averages(sums, 1);
  return {
    uptime: uptime && rounded(uptime, 5),
    first_token_ms: firstTokenMs && Math.round(firstTokenMs),
    tokens_per_second: tokensPerSecond && rounded(tokensPerSecond, 4),
    answered,
    failed,
    timed,
    paced,
  };
}

export function ownPerformanceDocument({ day, week, month }: Performance): z.input<typeof ownPerformanceSchema> {
  return { day: roundedFigures(day), week: roundedFigures(week), month: roundedFigures(month) };
}

/** Rounded, so that a single request of another account does not show. */
function roundedFigures(sums: PerformanceSums): z.input<typeof ownFigures> {
  const { uptime, firstTokenMs, tokensPerSecond } = averages(sums, samplesMin);
  return {
    uptime: uptime && roundedShare(uptime),
    first_token_ms: firstTokenMs && rounded(firstTokenMs, 2),
    tokens_per_second: tokensPerSecond && rounded(tokensPerSecond, 2),
  };
}

/** Null with fewer than `least` samples. */
export function averages(sums: PerformanceSums, least: number) {
  const { answered, failed, timed, first_token_ms: firstTokenMs, paced, tokens, generation_ms: generationMs } = sums;
  return {
    uptime: answered + failed < least ? null : answered / (answered + failed),
    firstTokenMs: timed < least ? null : firstTokenMs / timed,
    tokensPerSecond: paced < least ? null : (tokens * 1000) / generationMs,
  };
}

/** Rounds down, so that 1 means that nothing failed. */
export function roundedShare(share: number): number {
  return Math.floor(share * 1000) / 1000;
}

function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
