import type { AttemptRecord } from './attempt-record.ts';
import { figure, type RequestRecord } from './request-record.ts';

/** What adds up of how models and routes did. */
export const performanceSums = [
  // Answers, and requests or calls that came to nothing because of the provider. What came of others says nothing of it.
  'answered',
  'failed',
  // Answers whose first token is known, and when it came.
  'timed',
  'first_token_ms',
  // Answers whose pace is known: what they had to say, and how long it took from the first token on.
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

/** What one request says of a model, as its callers saw it, or of a route: an upstream, and its name for the model. */
export interface Sample {
  /** `asCalled` for a model of the catalog, over all its routes. */
  readonly upstream: string;
  readonly model: string;
  readonly sums: PerformanceSums;
}

/** Under which upstream the sums of the catalog's models stand; no upstream has this name. */
export const asCalled = '';

/** Answers that are over sooner say nothing of a pace: their provider had them ready. */
const paceLeastMs = 100;

/** Cases that are the provider's doing. What breaks a promise is counted as such, and was answered. */
const providerCases: ReadonlySet<string | undefined> = new Set(['upstream-failed', 'upstream-timeout']);

/** Whether a request that ended so was let down by its provider. */
export function isProvidersFault(errorCase: string | undefined): boolean {
  return providerCases.has(errorCase);
}

/**
 * What a request says of models and routes. What its client did, may not do or cannot pay says nothing of them, nor do
 * places that we did not have.
 */
export function samplesOf(record: RequestRecord): readonly Sample[] {
  if (record.replayOf !== undefined) return [];
  const { trail } = record;
  const answers = trail.filter(hasAnswered);
  const isAnswered = record.errorCase === undefined && !record.clientGone;
  const { firstByteMs } = record;
  const pace = isAnswered && answers.length <= 1 ? paceOf(record) : nothingMeasured;
  const answer = isAnswered ? { ...pace, ...firstTokenOf(record, firstByteMs), answered: 1 } : undefined;
  return [...modelSamples(record, answer), ...routeSamples(record, { answers, isAnswered, pace })];
}

function modelSamples(record: RequestRecord, answer: PerformanceSums | undefined): readonly Sample[] {
  const { model, failedModels = [] } = record;
  const failures = new Set(failedModels);
  if (model !== undefined && isLetDown(record)) failures.add(model);
  const samples: Sample[] = Array.from(failures, (each) => ({ upstream: asCalled, model: each, sums: oneFailure }));
  if (model !== undefined && answer) samples.push({ upstream: asCalled, model, sums: answer });
  return samples;
}

/** A provider that had no capacity until the request had waited for too long has let it down too. */
function isLetDown({ errorCase, clientGone, trail }: RequestRecord): boolean {
  if (clientGone) return false;
  return isProvidersFault(errorCase) || (errorCase === 'overloaded' && trail.some(hasFailed));
}

interface Calls {
  readonly answers: readonly AttemptRecord[];
  readonly isAnswered: boolean;
  readonly pace: PerformanceSums;
}

function routeSamples(record: RequestRecord, { answers, isAnswered, pace }: Calls): readonly Sample[] {
  const last = answers.at(-1);
  const wasAskedAgain = record.promises?.some(({ outcome }) => outcome === 'asked_again') ?? false;
  return record.trail.flatMap((attempt): readonly Sample[] => {
    const { upstream, model, beganMs, firstEventMs } = attempt;
    if (hasFailed(attempt)) return [{ upstream, model, sums: oneFailure }];
    if (!hasAnswered(attempt)) return [];
    // An answer that is not the last was thrown away for what it said, or broke off, and another went on with it.
    if (attempt !== last) return [{ upstream, model, sums: wasAskedAgain ? oneAnswer : oneFailure }];
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

/** Whatever status a busy provider or one that does not want our key says it with, it is a failure of the call. */
function hasFailed({ errorCase }: AttemptRecord): boolean {
  return isProvidersFault(errorCase);
}

/** Only of answers made of tokens: of others it would be the time to all of them. */
function firstTokenOf({ completionTokens }: RequestRecord, afterMs: number | undefined) {
  const firstTokenMs = figure(afterMs);
  if (firstTokenMs === null || !figure(completionTokens)) return { timed: 0, first_token_ms: 0 };
  return { timed: 1, first_token_ms: firstTokenMs };
}

function paceOf({ completionTokens, firstByteMs, answeredMs }: RequestRecord): PerformanceSums {
  const tokens = figure(completionTokens);
  const generationMs = figure((answeredMs ?? Number.NaN) - (firstByteMs ?? Number.NaN)) ?? 0;
  if (!tokens || generationMs < paceLeastMs) return nothingMeasured;
  return { ...nothingMeasured, paced: 1, tokens, generation_ms: generationMs };
}
