import type { AttemptRecord } from '../attempt-record.ts';
import type { RequestRecord } from '../request-record.ts';

/** The fields of a record that the comparison reads. */
export type ComparedRecord = Pick<
  RequestRecord,
  | 'id'
  | 'startedAt'
  | 'upstream'
  | 'upstreamModel'
  | 'promptTokens'
  | 'completionTokens'
  | 'cachedTokens'
  | 'usageSource'
  | 'attempts'
  | 'clientGone'
  | 'notes'
  | 'cost'
  | 'providerCost'
>;

/** The attempt whose answer the usage belongs to: the last one at the recorded upstream, if possible without an error. */
export function answeringAttempt({ attempts, upstream, upstreamModel }: ComparedRecord): AttemptRecord | undefined {
  const there = attempts.filter((attempt) => attempt.upstream === upstream && attempt.model === upstreamModel);
  return there.findLast(({ errorCase }) => errorCase === undefined) ?? there.at(-1);
}
