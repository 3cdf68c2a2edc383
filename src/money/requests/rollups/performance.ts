import type { AttemptRecord } from '../attempt-record.ts';
import { figure, type RequestRecord } from '../request-record.ts';

export const performanceSums = [
  // Answers, and requests or calls that failed because of the provider. Other failures are not counted.
  'answered',
  'failed',
  // Answers with a known time to first token, and the sum of these times.
  'timed',
  'first_token_ms',
  // Answers with a known generation speed: their tokens, and their duration from the first token on.
  'paced',
  'tokens',
  'generation_ms',
] as const;

export type PerformanceSums = Readonly<Record<(typeof performanceSums)[number], number>>;

export const nothingMeasured: PerformanceSums = {
  answered: 0,
  failed: 0,
  timed: 0,
  first_token_ms: 0,
  paced: 0,
  tokens: 0,
  generation_ms: 0,
};

/** What a request adds to a model, as its callers see it, or to a route: an upstream and its model name. */
export interface Sample {
  /** `asCalled` for a catalog model, over all its routes. */
  readonly upstream: string;
  readonly model: string;
  readonly sums: PerformanceSums;
}

/** The upstream name of the sums of catalog models; no upstream has this name. */
export const asCalled = '';

/** Shorter answers have no meaningful generation speed: their provider had them ready. */
const paceMinMs = 100;

/** Error cases that the provider causes. A violated constraint is counted separately; such a request was answered. */
const providerCases: ReadonlySet<string | undefined> = new Set(['upstream-failed', 'upstream-timeout']);

/** Whether the provider caused a request to end with this error case. */
export function isProviderError(errorCase: string | undefined): boolean {
  return providerCases.has(errorCase);
}

/** Errors of the client, missing permissions or money, and missing slots of our own are not counted. */
export function samplesOf(record: RequestRecord): readonly Sample[] {
  if (record.replayOf !== undefined) return [];
  const { attempts } = record;
  const answers = attempts.filter(hasAnswered);
  const isAnswered = record.errorCase === undefined && !record.clientGone;
  const { firstByteMs } = record;
  const pace = isAnswered && answers.length <= 1 ? paceOf(record) : nothingMeasured;
  const answer = isAnswered ? { ...pace, ...firstTokenOf(record, firstByteMs), answered: 1 } : undefined;
  return [...modelSamples(record, answer), ...routeSamples(record, { answers, isAnswered, pace })];
}

function modelSamples(record: RequestRecord, answer: PerformanceSums | undefined): readonly Sample[] {
  const { model, failedModels = [] } = record;
  const failures = new Set(failedModels);
  if (model !== undefined && hasProviderFailed(record)) failures.add(model);
  const samples: Sample[] = Array.from(failures, (each) => ({ upstream: asCalled, model: each, sums: oneFailure }));
  if (model !== undefined && answer) samples.push({ upstream: asCalled, model, sums: answer });
  return samples;
}

/** Whether the provider caused the failure, also by lack of capacity until the request's queue timeout. */
function hasProviderFailed({ errorCase, clientGone, attempts }: RequestRecord): boolean {
  if (clientGone) return false;
  return isProviderError(errorCase) || (errorCase === 'overloaded' && attempts.some(hasFailed));
}

interface Calls {
  readonly answers: readonly AttemptRecord[];
  readonly isAnswered: boolean;
  readonly pace: PerformanceSums;
}

function routeSamples(record: RequestRecord, { answers, isAnswered, pace }: Calls): readonly Sample[] {
  const last = answers.at(-1);
  const wasReprompted = record.constraints?.some(({ outcome }) => outcome === 'reprompted') ?? false;
  return record.attempts.flatMap((attempt): readonly Sample[] => {
    const { upstream, model, beganMs, firstEventMs } = attempt;
    if (hasFailed(attempt)) return [{ upstream, model, sums: oneFailure }];
    if (!hasAnswered(attempt)) return [];
    // An answer that is not the last was discarded for its content, or broke off and another attempt continued it.
    if (attempt !== last) return [{ upstream, model, sums: wasReprompted ? oneAnswer : oneFailure }];
    if (!isAnswered) return [];
    const firstTokenMs = firstEventMs === undefined ? undefined : firstEventMs - beganMs;
    return [{ upstream, model, sums: { ...pace, ...firstTokenOf(record, firstTokenMs), answered: 1 } }];
  });
}

const oneAnswer = { ...nothingMeasured, answered: 1 };
const oneFailure = { ...nothingMeasured, failed: 1 };

function hasAnswered({ errorCase, firstEventMs }: AttemptRecord): boolean {
  return errorCase === undefined && firstEventMs !== undefined;
}

/** A call failed if the provider caused it: also if the provider was busy or rejected our key, whatever its status. */
function hasFailed({ errorCase }: AttemptRecord): boolean {
  return isProviderError(errorCase);
}

/** Only for answers made of tokens: for others it would be the time to the whole answer. */
function firstTokenOf({ completionTokens }: RequestRecord, afterMs: number | undefined) {
  const firstTokenMs = figure(afterMs);
  if (firstTokenMs === null || !figure(completionTokens)) return { timed: 0, first_token_ms: 0 };
  return { timed: 1, first_token_ms: firstTokenMs };
}

function paceOf({ completionTokens, firstByteMs, answeredMs }: RequestRecord): PerformanceSums {
  const tokens = figure(completionTokens);
  const generationMs = figure((answeredMs ?? Number.NaN) - (firstByteMs ?? Number.NaN)) ?? 0;
  if (!tokens || generationMs < paceMinMs) return nothingMeasured;
  return { ...nothingMeasured, paced: 1, tokens, generation_ms: generationMs };
}
