import { z } from 'zod';
import type { PerformanceSums } from '../requests/performance.ts';
import type { Performance } from '../requests/performance-spans.ts';

const figures = {
  uptime: z
    .number()
    .nullable()
    .describe('The share that was answered, from 0 to 1, of what its provider could have answered.'),
  first_token_ms: z.int().nullable().describe('How long it took to the first token, on average.'),
  tokens_per_second: z.number().nullable().describe('How fast tokens came from the first one on, on average.'),
};

/** Who is told a figure cannot know whose requests it is made of: of fewer than these there is none. */
export const othersLeast = 10;

const ownFigures = z.strictObject(figures);
const ownSpans = z.strictObject({ day: ownFigures, week: ownFigures, month: ownFigures });

/** How a model did, for those who may call it. */
export const ownPerformanceSchema = ownSpans.describe(
  `How it did in the last 24 hours, 7 days and 30 days, over the requests of all accounts: rounded, and null where there were fewer than ${othersLeast} that tell.`,
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
    .describe('Came to nothing because of the provider. What a client did, or cannot pay, is not counted.'),
  timed: z.int().describe('Answers that `first_token_ms` is the average of.'),
  paced: z.int().describe('Answers that `tokens_per_second` is the average of.'),
});
const allSpans = z.strictObject({ day: allFigures, week: allFigures, month: allFigures });

/** How a model or a route did, for those who run the gateway. */
export const performanceSchema = allSpans.describe('How it did in the last 24 hours, 7 days and 30 days.');
export const performanceShape = {
  name: 'Performance',
  schema: allSpans,
  inside: [{ name: 'PerformanceFigures', schema: allFigures }],
};

export function performanceDocument({ day, week, month }: Performance): z.input<typeof performanceSchema> {
  return { day: counted(day), week: counted(week), month: counted(month) };
}

function counted(sums: PerformanceSums): z.input<typeof allFigures> {
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
  return { day: bare(day), week: bare(week), month: bare(month) };
}

/** Rounded as far as one would say it aloud, so that one request more or less of somebody else cannot be seen in it. */
function bare(sums: PerformanceSums): z.input<typeof ownFigures> {
  const { uptime, firstTokenMs, tokensPerSecond } = averages(sums, othersLeast);
  return {
    uptime: uptime && roundedShare(uptime),
    first_token_ms: firstTokenMs && rounded(firstTokenMs, 2),
    tokens_per_second: tokensPerSecond && rounded(tokensPerSecond, 2),
  };
}

/** Null where fewer than so many tell. */
export function averages(sums: PerformanceSums, least: number) {
  const { answered, failed, timed, first_token_ms: firstTokenMs, paced, tokens, generation_ms: generationMs } = sums;
  return {
    uptime: answered + failed < least ? null : answered / (answered + failed),
    firstTokenMs: timed < least ? null : firstTokenMs / timed,
    tokensPerSecond: paced < least ? null : (tokens * 1000) / generationMs,
  };
}

/** Downwards: whole only where nothing failed. */
export function roundedShare(share: number): number {
  return Math.floor(share * 1000) / 1000;
}

function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
